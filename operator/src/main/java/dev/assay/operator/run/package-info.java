/** Runs: what the operator decides and does about an AnalyticsRun. */
@NullMarked
package dev.assay.operator.run;

import org.jspecify.annotations.NullMarked;
