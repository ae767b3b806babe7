package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Bounds;
import java.time.Duration;

/**
 * What a RunClass says about time.
 *
 * @param pendingSeconds how long a run may wait for its Pod
 * @param defaultSeconds run time where a run names none
 */
public record RunLimits(int pendingSeconds, int defaultSeconds) {
  /** What a class that is not known here is taken for: the defaults of the kind. */
  public static final RunLimits UNKNOWN = new RunLimits(300, 120);

  private static final Duration SLACK = Duration.ofSeconds(60);

  /**
   * When a run must have ended, whatever happens to it: every limit that the operator keeps, one
   * after the other, and a minute for the operator itself.
   */
  public Duration bound(AnalyticsRunSpec spec) {
    return Duration.ofSeconds(pendingSeconds)
        .plus(RunState.timeLimitOf(spec).orElse(Duration.ofSeconds(defaultSeconds)))
        .plus(SLACK);
  }

  /** When a Pod must have come, if one comes. */
  public Duration pendingBound() {
    return Duration.ofSeconds(pendingSeconds).plus(SLACK);
  }

  /** The same for a snapshot of a dataset, which the operator may begin anew. */
  public Duration snapshotBound() {
    return Duration.ofSeconds((long) Bounds.SNAPSHOT_ATTEMPTS * (pendingSeconds + defaultSeconds))
        .plus(SLACK);
  }
}
