package dev.assay.operator.run.placement;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.execution.RunExecution;
import dev.assay.operator.run.results.StoredOutput;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.Endings;
import dev.assay.operator.run.status.RunArtifacts;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.tool.ToolCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

/** Resumes bound runs whose executions ended with an earlier operator process. */
public final class RunResumption {
  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  private final RunnerPods pods;
  private final RunOutputs outputs;
  private final RunExecutions executions;
  private final RunEndings endings;
  private final ToolCalls tools;
  private final OutputStoreWait store;

  public RunResumption(
      RunnerPods pods,
      RunOutputs outputs,
      RunExecutions executions,
      RunEndings endings,
      ToolCalls tools,
      OutputStoreWait store) {
    this.pods = pods;
    this.outputs = outputs;
    this.executions = executions;
    this.endings = endings;
    this.tools = tools;
    this.store = store;
  }

  /**
   * Executes a bound run again, or ends it.
   *
   * @param pod the Pod that it is bound to, if the cache has it
   */
  public UpdateControl<AnalyticsRun> resume(AnalyticsRun run, Optional<Pod> pod) {
    try {
      return executeOrEnd(run, pod);
    } catch (UncheckedIOException e) {
      return store.waitFor(run, e);
    }
  }

  private UpdateControl<AnalyticsRun> executeOrEnd(AnalyticsRun run, Optional<Pod> pod) {
    Optional<Pod> reachable = pod.filter(PodState::isReachable);
    if (reachable.isEmpty()) {
      return endIfPodGone(run);
    }
    Optional<RunLimits> limits = executions.limits(run, reachable.get());
    if (limits.isEmpty()) {
      return end(
          run,
          reachable,
          Ending.startUnknown(
              RunReason.RunnerLost,
              "The class was deleted during the run",
              StoredOutput.result(outputs, run)));
    }
    executions.execute(run, reachable.get(), limits.get());
    if (run.getSpec().cancelRequested()) {
      // Its runner stops the code, and the output that it still holds is stored.
      executions.find(run).ifPresent(RunExecution::cancel);
    }
    return UpdateControl.noUpdate();
  }

  /**
   * A run that another operator process has bound may be visible before its Pod, because they have
   * different watches. So the Pod is read from the API server before the run is ended.
   */
  private UpdateControl<AnalyticsRun> endIfPodGone(AnalyticsRun run) {
    BoundPod bound = requireNonNull(RunState.statusOf(run).pod());
    Optional<Pod> pod = pods.read(run.getMetadata().getNamespace(), bound.name(), bound.uid());
    if (pod.filter(PodState::isReachable).isPresent()) {
      return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(CACHE_RETRY);
    }
    Optional<RunLimits> limits = pod.flatMap(found -> executions.limits(run, found));
    Ending ending =
        Endings.podEnded(
            pod.orElse(null),
            limits.map(RunLimits::memory).orElse(""),
            StoredOutput.result(outputs, run));
    if (limits.filter(known -> !known.collectsArtifacts()).isEmpty()) {
      // The operator process that stored them may have ended before it wrote the status.
      ending =
          ending.leaving(StoredOutput.artifacts(outputs, run).orElse(RunArtifacts.CONTAINER_ENDED));
    }
    return end(run, pod, run.getSpec().cancelRequested() ? ending.cancelled() : ending);
  }

  private UpdateControl<AnalyticsRun> end(AnalyticsRun run, Optional<Pod> pod, Ending ending) {
    String namespace = run.getMetadata().getNamespace();
    String uid = run.getMetadata().getUid();
    UpdateControl<AnalyticsRun> control =
        endings.end(run, pod, ending.calling(tools.counts(namespace, uid).orElse(null)));
    tools.end(namespace, uid);
    return control;
  }
}
