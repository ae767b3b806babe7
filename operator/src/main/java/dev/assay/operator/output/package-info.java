/** The output store. */
@NullMarked
package dev.assay.operator.output;

import org.jspecify.annotations.NullMarked;
