package dev.assay.frontend.analytics;

import dev.assay.frontend.call.Reply;
import org.jspecify.annotations.Nullable;

/** How one call of a tool shows the result of its run: as text, and as the tool's document. */
public interface ResultReply {
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
}
