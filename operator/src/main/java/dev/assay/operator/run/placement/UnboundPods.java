package dev.assay.operator.run.placement;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIdHolders;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.queue.RunQueue;
import dev.assay.operator.run.status.Ending;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Runs that have a Pod but are not bound to it yet: the Pod is waited for, used or replaced. */
public final class UnboundPods {
  private static final Duration MIN_POD_AGE = Duration.ofSeconds(3);
  private static final Duration DELETION_RETRY = Duration.ofSeconds(15);

  private final RunResources resources;
  private final RunQueue queue;
  private final RunnerPods pods;
  private final StartRetries retries;
  private final RunExecutions executions;
  private final WarmStarts warm;
  private final RunStatusUpdates updates;
  private final Clock clock;

  public UnboundPods(
      RunResources resources,
      RunQueue queue,
      RunnerPods pods,
      StartRetries retries,
      RunExecutions executions,
      WarmStarts warm,
      RunStatusUpdates updates,
      Clock clock) {
    this.resources = resources;
    this.queue = queue;
    this.pods = pods;
    this.retries = retries;
    this.executions = executions;
    this.warm = warm;
    this.updates = updates;
    this.clock = clock;
  }

  /** Starts a run that has a Pod but is not bound to it yet. */
  public UpdateControl<AnalyticsRun> start(AnalyticsRun run, Pod pod) {
    RunClass found = resources.runClass(run);
    Optional<RunAdmission.Refused> refused =
        RunAdmission.refusal(run, found, resources::runClasses);
    if (refused.isPresent()) {
      return updates.refuse(run, Optional.of(pod), refused.get());
    }
    RunClass runClass = requireNonNull(found);
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      return waitForDeletion(run, pod, runClass);
    }
    if (PodState.isTerminal(pod) && PodState.mayBeReplaced(pod)) {
      return replace(run, pod, runClass);
    }
    if (PodState.isTerminal(pod)) {
      return replaceFailed(run, pod, runClass);
    }
    if (UserIdHolders.of(resources.pods()).haveOlderThan(pod)) {
      return replace(run, pod, runClass);
    }
    if (PodState.isReachable(pod)) {
      executions.execute(run, pod, executions.limits(run, pod).orElseThrow());
      return UpdateControl.noUpdate();
    }
    String waitsFor = PodState.waitingReason(pod).orElse("");
    Duration backoff = retries.backoff(run);
    if (PodState.isUnschedulable(pod) && backoff.isPositive()) {
      // A warm Pod would be its next attempt, which is not due yet.
      return updates.waitForStart(
          run, Optional.of(pod), runClass, RunReason.WaitingForPod, waitsFor, backoff);
    }
    if (PodState.isUnschedulable(pod)
        && updates.untilPendingDeadline(run, runClass).isPositive()
        && warm.startInstead(run, runClass)) {
      return UpdateControl.noUpdate();
    }
    if (PodState.isUnschedulable(pod) && queue.yields(run)) {
      // Unless it has just got a node: then its next event brings the run here again.
      pods.deleteUnchanged(pod);
      return waitForPod(run, pod, runClass, waitsFor);
    }
    return waitForPod(run, pod, runClass, waitsFor);
  }

  /**
   * Waits because the next Pod has the same name. The kubelet of a lost node does not confirm a
   * deletion.
   */
  private UpdateControl<AnalyticsRun> waitForDeletion(
      AnalyticsRun run, Pod pod, RunClass runClass) {
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
  private UpdateControl<AnalyticsRun> replace(AnalyticsRun run, Pod pod, RunClass runClass) {
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
  private UpdateControl<AnalyticsRun> replaceFailed(AnalyticsRun run, Pod pod, RunClass runClass) {
    String cause = PodState.terminationReason(pod);
    Optional<String> message =
        PodState.workerOutOfMemory(pod)
            ? Optional.empty()
            : retries.message(
                run, pod, runClass, "its Pod ended before the run was bound: " + cause);
    if (message.isEmpty()) {
      return updates.end(
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
