package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.queue.RunQueue;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Optional;

/**
 * Runs for whose Pods there is no node: they may start in warm Pods, and their callers take turns.
 */
public final class UnschedulableRuns {
  private final RunQueue queue;
  private final RunnerPods pods;
  private final StartRetries retries;
  private final WarmStarts warm;
  private final RunStatusUpdates updates;

  public UnschedulableRuns(
      RunQueue queue,
      RunnerPods pods,
      StartRetries retries,
      WarmStarts warm,
      RunStatusUpdates updates) {
    this.queue = queue;
    this.pods = pods;
    this.retries = retries;
    this.warm = warm;
    this.updates = updates;
  }

  /** Starts a run in a warm Pod instead, or has it wait, perhaps without its Pod. */
  UpdateControl<AnalyticsRun> start(AnalyticsRun run, Pod pod, RunClass runClass) {
    String waitsFor = PodState.waitingReason(pod).orElse("");
    Duration backoff = retries.backoff(run);
    if (backoff.isPositive()) {
      // A warm Pod would be its next attempt, which is not due yet.
      return updates.waitForStart(
          run, Optional.of(pod), runClass, RunReason.WaitingForPod, waitsFor, backoff);
    }
    if (updates.untilPendingDeadline(run, runClass).isPositive()
        && warm.startInstead(run, runClass)) {
      return UpdateControl.noUpdate();
    }
    if (queue.yields(run)) {
      // Unless it has just got a node: then its next event brings the run here again.
      pods.deleteUnchanged(pod);
    }
    return updates.waitForStart(run, Optional.of(pod), runClass, RunReason.WaitingForPod, waitsFor);
  }
}
