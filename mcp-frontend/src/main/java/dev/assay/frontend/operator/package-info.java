/** The operator's internal endpoint. */
@NullMarked
package dev.assay.frontend.operator;

import org.jspecify.annotations.NullMarked;
