package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.call.UnlistedContent;

/**
 * A run that goes on, while its call has been answered.
 *
 * @param status always {@code in_progress}
 * @param run its name, for get_run and cancel_run
 * @param phase when the call was answered
 * @param message the text of the reply, which has the call that goes on
 */
public record ContinuingRun(String status, String run, RunPhase phase, String message)
    implements UnlistedContent {
  /** Of a run, and what a caller reads of it. */
  static ContinuingRun of(AnalyticsRun run, String message) {
    return new ContinuingRun(
        "in_progress", run.getMetadata().getName(), RunState.phaseOf(run), message);
  }
}
