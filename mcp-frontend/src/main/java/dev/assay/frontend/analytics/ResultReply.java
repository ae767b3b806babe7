package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunReply;
import org.jspecify.annotations.Nullable;

/** How one call of a tool shows the result of its run: as text, and as the tool's document. */
public interface ResultReply {
  /** The {@code result_type} of a run that has not ended. */
  String IN_PROGRESS = "in_progress";

  /** Arguments of get_run that wait for the end of a run, to see the rows of its table. */
  String WAIT_FOR_ROWS = RunReply.WAIT + ", rows={\"offset\": 0}";

  /** Whether a value has what {@link #of} shows; where it has not, the call fails. */
  boolean isWhole(AnalyticsValue value);

  /** Of a result whose value is whole. */
  Reply of(AnalyticsResult result);

  /**
   * Of a run that failed.
   *
   * @param queryId the name of the run; null where there was none
   * @param partial rows from before the failure; null where there are none
   */
  Reply failed(AnalyticsError error, @Nullable String queryId, @Nullable AnalyticsResult partial);

  /**
   * Of a run that goes on, for which its caller wanted to wait no longer: names it, and the call
   * that shows its result.
   */
  Reply inProgress(AnalyticsRun run, long waitedSeconds);
}
