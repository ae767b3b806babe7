package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.StartAttempts;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides whether a run whose Pod ended before any code ran gets another Pod, and when. */
public final class StartRetries {
  private final StartAttempts attempts;
  private final RunStatusUpdates updates;

  public StartRetries(StartAttempts attempts, RunStatusUpdates updates) {
    this.attempts = attempts;
    this.updates = updates;
  }

  /**
   * The message for a run that gets another Pod; empty if it gets none.
   *
   * @param pod the Pod that ended
   * @param runClass the class of the run; absent if it was deleted
   */
  Optional<String> message(AnalyticsRun run, Pod pod, @Nullable RunClass runClass, String cause) {
    if (runClass == null) {
      return Optional.empty();
    }
    String uid = run.getMetadata().getUid();
    return attempts
        .failed(uid, pod.getMetadata().getUid(), updates.untilPendingDeadline(run, runClass))
        .map(
            backoff ->
                "No code has run; creating another Pod in %d s (attempt %d of %d): %s"
                    .formatted(
                        backoff.toSeconds(),
                        attempts.count(uid) + 1,
                        StartAttempts.MAX_ATTEMPTS,
                        cause));
  }

  /** The remaining delay of the next Pod; zero if there is none. */
  Duration backoff(AnalyticsRun run) {
    return attempts.backoff(run.getMetadata().getUid());
  }

  /** Removes the state of a run that has ended. */
  public void forget(AnalyticsRun run) {
    attempts.forget(run.getMetadata().getUid());
  }
}
