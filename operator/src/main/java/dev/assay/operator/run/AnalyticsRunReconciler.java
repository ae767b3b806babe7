package dev.assay.operator.run;

import dev.assay.api.logging.LogContext;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.NewerObjects;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.cleanup.RunCleanup;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.RunExecution;
import dev.assay.operator.run.execution.RunLines;
import dev.assay.operator.run.placement.RunExecutions;
import dev.assay.operator.run.placement.RunResumption;
import dev.assay.operator.run.placement.RunTurns;
import dev.assay.operator.run.placement.UnboundRuns;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides the next step of a run: create its Pod, start it, resume it, cancel it, clean up after
 * it. Never blocks: executions have threads of their own.
 */
@ControllerConfiguration(name = "analyticsrun", generationAwareEventProcessing = false)
public final class AnalyticsRunReconciler implements Reconciler<AnalyticsRun> {

  private final RunResources resources;
  private final RunTurns turns;
  private final UnboundRuns unbound;
  private final RunExecutions executions;
  private final RunResumption resumption;
  private final RunCleanup cleanup;

  AnalyticsRunReconciler(
      RunResources resources,
      RunTurns turns,
      UnboundRuns unbound,
      RunExecutions executions,
      RunResumption resumption,
      RunCleanup cleanup) {
    this.resources = resources;
    this.turns = turns;
    this.unbound = unbound;
    this.executions = executions;
    this.resumption = resumption;
    this.cleanup = cleanup;
  }

  @Override
  public List<EventSource<?, AnalyticsRun>> prepareEventSources(
      EventSourceContext<AnalyticsRun> context) {
    return resources.prepare(context);
  }

  @Override
  public UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run, Context<AnalyticsRun> context) {
    try (LogContext _ = RunLines.about(run)) {
      return reconcile(run);
    }
  }

  private UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run) {
    if (NewerObjects.isNewer(run)) {
      return leave(run);
    }
    Optional<Pod> pod = PodOfRun.find(run, podsOf(run));
    boolean waitsForPod = !RunState.isFinal(run) && !RunState.isBound(run) && pod.isEmpty();
    if (!waitsForPod || run.getSpec().cancelRequested()) {
      turns.stopWaiting(run);
    }
    if (!mayWaitForWarmPod(run, pod)) {
      turns.stopWaitingForWarmPod(run);
    }
    if (RunState.isFinal(run)) {
      return cleanUp(run);
    }
    cleanup.removeSuperseded(run, PodOfRun.superseded(run, podsOf(run)));
    executions.see(run);
    Optional<RunExecution> execution = executions.find(run);
    if (execution.isPresent()) {
      return update(execution.get(), run);
    }
    if (RunState.isBound(run)) {
      return resumption.resume(run, pod);
    }
    return unbound.next(run, pod);
  }

  /** Whatever a newer operator has begun with it, its Pods and its output stay as they are. */
  private UpdateControl<AnalyticsRun> leave(AnalyticsRun run) {
    turns.stopWaiting(run);
    turns.stopWaitingForWarmPod(run);
    return UpdateControl.noUpdate();
  }

  private static boolean mayWaitForWarmPod(AnalyticsRun run, Optional<Pod> pod) {
    return !RunState.isFinal(run)
        && !RunState.isBound(run)
        && !run.getSpec().cancelRequested()
        && pod.filter(own -> !PodState.isUnschedulable(own)).isEmpty();
  }

  /** The run or its Pod has changed during the execution. */
  private static UpdateControl<AnalyticsRun> update(RunExecution execution, AnalyticsRun run) {
    execution.podChanged();
    if (run.getSpec().cancelRequested()) {
      execution.cancel();
    }
    return UpdateControl.noUpdate();
  }

  private UpdateControl<AnalyticsRun> cleanUp(AnalyticsRun run) {
    turns.ended(run);
    executions.forget(run);
    RunClass runClass = resources.runClass(run);
    Duration podRetention = runClass == null ? Duration.ZERO : runClass.getSpec().podRetention();
    UpdateControl<AnalyticsRun> control = UpdateControl.noUpdate();
    cleanup
        .clean(
            run,
            PodOfRun.leftover(run, podsOf(run)),
            PodOfRun.superseded(run, podsOf(run)),
            podRetention)
        .ifPresent(control::rescheduleAfter);
    return control;
  }

  private Function<String, Optional<Pod>> podsOf(AnalyticsRun run) {
    return name -> resources.pod(run.getMetadata().getNamespace(), name);
  }
}
