package dev.assay.operator.run.placement;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.UserIdHolders;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.util.Optional;

/** Runs that have a Pod but are not bound to it yet: the Pod is waited for, used or replaced. */
public final class UnboundPods {
  private final RunResources resources;
  private final PodReplacement replacement;
  private final UnschedulableRuns unschedulable;
  private final RunExecutions executions;
  private final RunStatusUpdates updates;
  private final RunEndings endings;

  public UnboundPods(
      RunResources resources,
      PodReplacement replacement,
      UnschedulableRuns unschedulable,
      RunExecutions executions,
      RunStatusUpdates updates,
      RunEndings endings) {
    this.resources = resources;
    this.replacement = replacement;
    this.unschedulable = unschedulable;
    this.executions = executions;
    this.updates = updates;
    this.endings = endings;
  }

  /** Starts a run that has a Pod but is not bound to it yet. */
  UpdateControl<AnalyticsRun> start(AnalyticsRun run, Pod pod) {
    RunClass found = resources.runClass(run);
    Optional<RunAdmission.Refused> refused =
        RunAdmission.refusal(run, found, resources::runClasses);
    if (refused.isPresent()) {
      return endings.refuse(run, Optional.of(pod), refused.get());
    }
    RunClass runClass = requireNonNull(found);
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      return replacement.waitForDeletion(run, pod, runClass);
    }
    if (PodState.isTerminal(pod) && PodState.mayBeReplaced(pod)) {
      return replacement.replace(run, pod, runClass);
    }
    if (PodState.isTerminal(pod)) {
      return replacement.replaceFailed(run, pod, runClass);
    }
    if (UserIdHolders.of(resources.pods()).haveOlderThan(pod)) {
      return replacement.replace(run, pod, runClass);
    }
    if (PodState.isReachable(pod)) {
      executions.execute(run, pod, executions.limits(run, pod).orElseThrow());
      return UpdateControl.noUpdate();
    }
    if (PodState.isUnschedulable(pod)) {
      return unschedulable.start(run, pod, runClass);
    }
    return updates.waitForStart(
        run,
        Optional.of(pod),
        runClass,
        RunReason.WaitingForPod,
        PodState.waitingReason(pod).orElse(""));
  }
}
