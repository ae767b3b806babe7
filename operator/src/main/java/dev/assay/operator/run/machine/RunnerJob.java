package dev.assay.operator.run.machine;

import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.operator.runner.Hello;
import org.jspecify.annotations.Nullable;

/** What the hello of a runner says about its job, as seen by one run. */
public enum RunnerJob {
  /** None yet. */
  NONE,
  /** That of the run, not started. */
  STAGED,
  /** That of the run, not started, on other snapshots than it would read. */
  OTHER_SNAPSHOTS,
  /** That of the run, which was started and may have ended. */
  STARTED,
  /** That of another run. */
  OF_ANOTHER_RUN,
  /** None: it was told to refuse every run. */
  REFUSES_ALL,
  /** The run is bound to an earlier process of the runner. */
  RESTARTED;

  /**
   * Reads it from an answer.
   *
   * @param bound what the run is bound to; null if it is not
   * @param hasSnapshots whether the job reads the snapshots of the run, if it is that of the run
   */
  public static RunnerJob of(
      String runUid, @Nullable BoundPod bound, Hello hello, boolean hasSnapshots) {
    if (bound != null && !hello.nonce().equals(bound.nonce())) {
      return RESTARTED;
    }
    if (hello.isRetired()) {
      return REFUSES_ALL;
    }
    if (hello.isIdle()) {
      return NONE;
    }
    if (hello.runUid() != null && !hello.runUid().equals(runUid)) {
      return OF_ANOTHER_RUN;
    }
    if (!hello.isStaged()) {
      return STARTED;
    }
    return hasSnapshots ? STAGED : OTHER_SNAPSHOTS;
  }
}
