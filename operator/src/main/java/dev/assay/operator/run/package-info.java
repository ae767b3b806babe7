/**
 * The run path: {@code AnalyticsRunReconciler} decides what is next for a run, and {@code RunPath}
 * puts the steps together. Uses all packages of the path; none of them uses this one.
 */
@NullMarked
package dev.assay.operator.run;

import org.jspecify.annotations.NullMarked;
