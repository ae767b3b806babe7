/** The controller of AnalyticsRuns. */
@NullMarked
package dev.assay.operator.run;

import org.jspecify.annotations.NullMarked;
