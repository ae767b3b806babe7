package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.status.Ending;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Pods that go before their runs are bound to them, for others in their place. */
public final class PodReplacement {
  private static final Duration MIN_POD_AGE = Duration.ofSeconds(3);
  private static final Duration DELETION_RETRY = Duration.ofSeconds(15);

  private final RunnerPods pods;
  private final StartRetries retries;
  private final RunStatusUpdates updates;
  private final RunEndings endings;
  private final Clock clock;

  public PodReplacement(
      RunnerPods pods,
      StartRetries retries,
      RunStatusUpdates updates,
      RunEndings endings,
      Clock clock) {
    this.pods = pods;
    this.retries = retries;
    this.updates = updates;
    this.endings = endings;
    this.clock = clock;
  }

  /**
   * Waits because the next Pod has the same name. The kubelet of a lost node does not confirm a
   * deletion.
   */
  UpdateControl<AnalyticsRun> waitForDeletion(AnalyticsRun run, Pod pod, RunClass runClass) {
    if (PodState.deletionOverdue(pod, clock.instant())) {
      pods.forceDelete(pod);
    }
    return updates.waitForStart(
        run,
        Optional.of(pod),
        runClass,
        RunReason.WaitingForPod,
        "The Pod is being deleted and will be replaced",
        DELETION_RETRY);
  }

  /** The next Pod is created once this one is deleted, at most every few seconds. */
  UpdateControl<AnalyticsRun> replace(AnalyticsRun run, Pod pod, RunClass runClass) {
    Instant created = PodState.created(pod);
    Duration wait = Duration.between(clock.instant(), created.plus(MIN_POD_AGE));
    UpdateControl<AnalyticsRun> control =
        waitForPod(run, pod, runClass, PodState.terminationReason(pod));
    if (wait.isPositive()) {
      return control.rescheduleAfter(wait);
    }
    pods.delete(pod);
    return control;
  }

  /** Replaces a Pod that ended by itself, up to a maximum number of attempts. */
  UpdateControl<AnalyticsRun> replaceFailed(AnalyticsRun run, Pod pod, RunClass runClass) {
    String cause = PodState.terminationReason(pod);
    Optional<String> message =
        PodState.workerOutOfMemory(pod)
            ? Optional.empty()
            : retries.message(
                run, pod, runClass, "its Pod ended before the run was bound: " + cause);
    if (message.isEmpty()) {
      return endings.end(
          run,
          Optional.of(pod),
          Ending.notStarted(RunReason.StartFailed, "The Pod ended: " + cause));
    }
    pods.delete(pod);
    return waitForPod(run, pod, runClass, message.get());
  }

  private UpdateControl<AnalyticsRun> waitForPod(
      AnalyticsRun run, Pod pod, RunClass runClass, String message) {
    return updates.waitForStart(run, Optional.of(pod), runClass, RunReason.WaitingForPod, message);
  }
}
