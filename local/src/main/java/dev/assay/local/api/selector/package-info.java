/** Label and field selectors. Pure. */
@NullMarked
package dev.assay.local.api.selector;

import org.jspecify.annotations.NullMarked;
