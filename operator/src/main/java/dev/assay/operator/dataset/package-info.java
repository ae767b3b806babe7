/** The controller of Datasets. */
@NullMarked
package dev.assay.operator.dataset;

import org.jspecify.annotations.NullMarked;
