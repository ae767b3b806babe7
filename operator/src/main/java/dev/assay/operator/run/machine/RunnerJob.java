package dev.assay.operator.run.machine;

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
  /** That of a later process than the one that the run belongs to. */
  RESTARTED;

  /**
   * Reads it from an answer.
   *
   * @param nonce of the runner process that the run belongs to; null if it belongs to none yet
   * @param hasSnapshots whether the job reads the snapshots of the run, if it is that of the run
   */
  public static RunnerJob of(
      String runUid, @Nullable String nonce, Hello hello, boolean hasSnapshots) {
    if (nonce != null && !hello.nonce().equals(nonce)) {
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
