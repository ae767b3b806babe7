/** The operator: turns an AnalyticsRun into a locked-down Pod and brings its output back. */
@NullMarked
package dev.assay.operator;

import org.jspecify.annotations.NullMarked;
