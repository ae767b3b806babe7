/** JSON patch and merge patch. Pure. */
@NullMarked
package dev.assay.local.api.patch;

import org.jspecify.annotations.NullMarked;
