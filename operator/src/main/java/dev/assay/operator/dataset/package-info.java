/** Datasets: what the operator decides and does about a Dataset. */
@NullMarked
package dev.assay.operator.dataset;

import org.jspecify.annotations.NullMarked;
