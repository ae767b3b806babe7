/** Who calls, and in which namespace their runs live. */
@NullMarked
package dev.assay.frontend.identity;

import org.jspecify.annotations.NullMarked;
