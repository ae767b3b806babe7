/** Datasets as the tools see them. */
@NullMarked
package dev.assay.frontend.dataset;

import org.jspecify.annotations.NullMarked;
