package dev.assay.operator.dataset;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.NewerObjects;
import dev.assay.operator.pod.PodState;
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

/** Creates a snapshot of each generation of a dataset, in a Pod of its own. */
@ControllerConfiguration(name = "dataset", generationAwareEventProcessing = false)
public final class DatasetReconciler implements Reconciler<Dataset> {
  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  private final OperatorConfig config;
  private final DatasetResources resources;
  private final SnapshotAttempts attempts;
  private final SnapshotPodCreation creation;
  private final SnapshotPods pods;
  private final SnapshotExecutions executions;

  DatasetReconciler(
      OperatorConfig config,
      DatasetResources resources,
      SnapshotAttempts attempts,
      SnapshotPodCreation creation,
      SnapshotPods pods,
      SnapshotExecutions executions) {
    this.config = config;
    this.resources = resources;
    this.attempts = attempts;
    this.creation = creation;
    this.pods = pods;
    this.executions = executions;
  }

  @Override
  public List<EventSource<?, Dataset>> prepareEventSources(EventSourceContext<Dataset> context) {
    return resources.prepare(context);
  }

  @Override
  public UpdateControl<Dataset> reconcile(Dataset dataset, Context<Dataset> context) {
    if (NewerObjects.isNewer(dataset)) {
      pods.leaveQueue(dataset);
      return UpdateControl.noUpdate();
    }
    SnapshotIdentity identity = SnapshotIdentity.of(dataset);
    pods.deleteOthers(dataset, identity);
    if (DatasetTransitions.isSettled(dataset)) {
      executions.forget(identity);
      attempts.forget(identity);
      pods.leaveQueue(dataset);
      return UpdateControl.noUpdate();
    }
    Optional<SnapshotExecution> execution = executions.find(identity);
    if (execution.isPresent()) {
      execution.get().podChanged();
      return UpdateControl.noUpdate();
    }
    RunNamespace namespace = config.namespace(dataset.getMetadata().getNamespace()).orElseThrow();
    RunClass found = resources.runClass(dataset);
    Optional<String> refusal = DatasetChecks.refusal(dataset, namespace, found);
    if (refusal.isPresent()) {
      return pods.fail(dataset, identity, refusal.get());
    }
    RunClass runClass = requireNonNull(found);
    Optional<Pod> pod = resources.pod(dataset, identity.podName());
    if (pod.isEmpty() && DatasetTransitions.hadPod(dataset, identity)) {
      return replaceLostPod(dataset, identity);
    }
    if (pod.isEmpty()) {
      return creation.create(dataset, identity, namespace, runClass);
    }
    if (PodState.isTerminal(pod.get())) {
      return retry(dataset, identity, PodState.terminationReason(pod.get()));
    }
    if (PodState.isReachable(pod.get())) {
      executions.execute(dataset, identity, pod.get(), runClass);
      return UpdateControl.noUpdate();
    }
    return pods.waitForStart(dataset, identity, pod.get(), runClass);
  }

  /**
   * A lost Pod may have left files behind, so the next one needs a directory of its own. The cache
   * may not have a Pod yet that another operator has created.
   */
  private UpdateControl<Dataset> replaceLostPod(Dataset dataset, SnapshotIdentity identity) {
    if (pods.exists(dataset, identity)) {
      return UpdateControl.<Dataset>noUpdate().rescheduleAfter(CACHE_RETRY);
    }
    return retry(dataset, identity, "the snapshot's Pod was deleted");
  }

  private UpdateControl<Dataset> retry(Dataset dataset, SnapshotIdentity identity, String why) {
    attempts.startNext(dataset, identity, why);
    return UpdateControl.noUpdate();
  }
}
