/** Charts, which the Python package of the runner draws. */
@NullMarked
package dev.assay.jvm.chart;

import org.jspecify.annotations.NullMarked;
