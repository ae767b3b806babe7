package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.pool.ClaimedPod;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.admission.RunGuard;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.ExecutionRequest;
import dev.assay.operator.run.execution.RunDispatcher;
import dev.assay.operator.run.execution.RunExecution;
import dev.assay.operator.run.status.RunOrigin;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.tool.RunToolPolicy;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts and finds the executions of runs. */
public final class RunExecutions {
  private final RunDispatcher dispatcher;
  private final RunResources resources;
  private final StartRetries retries;
  private final FirstSeen firstSeen;
  private final RunStatusUpdates updates;

  public RunExecutions(
      RunDispatcher dispatcher,
      RunResources resources,
      StartRetries retries,
      FirstSeen firstSeen,
      RunStatusUpdates updates) {
    this.dispatcher = dispatcher;
    this.resources = resources;
    this.retries = retries;
    this.firstSeen = firstSeen;
    this.updates = updates;
  }

  /** The execution of a run, if there is one. */
  public Optional<RunExecution> find(AnalyticsRun run) {
    return dispatcher.find(run);
  }

  /** Whether a warm Pod that the run was given did not take it. */
  boolean hasFailedClaim(AnalyticsRun run) {
    return dispatcher.hasFailedClaim(run);
  }

  /** The limits that the run has in its Pod, or if that has none, those of its class now. */
  Optional<RunLimits> limits(AnalyticsRun run, Pod pod) {
    return RunLimits.of(run.getSpec(), pod)
        .or(
            () ->
                Optional.ofNullable(resources.runClass(run))
                    .map(runClass -> RunLimits.of(run.getSpec(), runClass.getSpec())));
  }

  /** Executes a run in its Pod, unless it is being executed. */
  void execute(AnalyticsRun run, Pod pod, RunLimits limits) {
    execute(run, pod, null, RunOrigin.snapshots(run, pod), limits);
  }

  /** Executes an admitted run in the warm Pod that it was given. */
  void execute(AnalyticsRun run, ClaimedPod claimed, RunAdmission.Admitted admitted) {
    execute(run, claimed.pod(), claimed.hello(), admitted.snapshots(), admitted.limits());
  }

  private void execute(
      AnalyticsRun run,
      Pod pod,
      @Nullable Hello idleHello,
      List<PinnedSnapshot> snapshots,
      RunLimits limits) {
    String namespace = pod.getMetadata().getNamespace();
    String name = pod.getMetadata().getName();
    PodView view = new PodView(() -> resources.pod(namespace, name), pod.getMetadata().getUid());
    dispatcher.execute(
        new ExecutionRequest(
            run,
            pod,
            snapshots,
            idleHello,
            firstSeen.see(run),
            limits,
            RunGuard.of(run.getSpec(), resources.runClass(run)),
            tools(run),
            RunLimits.START_TIMEOUT,
            cause -> retries.message(run, pod, resources.runClass(run), cause),
            new PodWaiting(run, pod, resources, updates)),
        view,
        () -> resources.reconcileAgain(run));
  }

  /** Null if its code cannot call any tools. */
  private @Nullable RunToolPolicy tools(AnalyticsRun run) {
    RunClass runClass = resources.runClass(run);
    return runClass != null && runClass.getSpec().offersToolsTo(run.getSpec().language())
        ? RunToolPolicy.of(run.getSpec(), runClass.getSpec())
        : null;
  }

  /** Must be called when the run's final status has been observed. */
  public void forget(AnalyticsRun run) {
    dispatcher.forget(run.getMetadata().getUid());
    firstSeen.forget(run);
    retries.forget(run);
  }

  /** A run that has not ended is seen, perhaps for the first time. */
  public void see(AnalyticsRun run) {
    var unused = firstSeen.see(run);
  }
}
