package dev.assay.operator.dataset;

import static java.util.Objects.requireNonNull;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.NewerObjects;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StartAttempts;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Creates a snapshot of each generation of a dataset, in a Pod of its own. */
@ControllerConfiguration(name = "dataset", generationAwareEventProcessing = false)
public final class DatasetReconciler implements Reconciler<Dataset> {
  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  /** The delay between an interrupted execution and the next. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final OperatorConfig config;
  private final DatasetResources resources;
  private final RunnerPods pods;
  private final DatasetStatusWriter statuses;
  private final SnapshotAttempts attempts;
  private final SnapshotPodCreation creation;
  private final SnapshotExecutions executions;
  private final Clock clock;

  public DatasetReconciler(
      OperatorConfig config,
      KubernetesClient client,
      SigningKeys keys,
      RunnerClient runners,
      RunnerPods pods,
      Uploads uploads,
      NetworkPolicies networkPolicies,
      EventRecorder recorder,
      ProgramMetrics metrics,
      ExecutorService threads,
      Clock clock) {
    this(
        config,
        client,
        new DatasetInformers(client),
        keys,
        runners,
        pods,
        uploads,
        networkPolicies,
        recorder,
        metrics,
        threads,
        CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS, threads),
        clock);
  }

  DatasetReconciler(
      OperatorConfig config,
      KubernetesClient client,
      DatasetResources resources,
      SigningKeys keys,
      RunnerClient runners,
      RunnerPods pods,
      Uploads uploads,
      NetworkPolicies networkPolicies,
      EventRecorder recorder,
      ProgramMetrics metrics,
      ExecutorService threads,
      Executor afterPause,
      Clock clock) {
    resources.onPodEnded(pods.queue()::roomFreed);
    this.config = config;
    this.resources = resources;
    this.pods = pods;
    this.clock = clock;
    this.statuses =
        new DatasetStatusWriter(client, recorder, new DatasetMetrics(metrics, clock), clock);
    this.attempts = new SnapshotAttempts(new StartAttempts(clock), statuses);
    this.creation =
        new SnapshotPodCreation(resources, keys, pods, networkPolicies, statuses, attempts, clock);
    this.executions =
        new SnapshotExecutions(
            resources,
            new WholeObjects(client),
            keys,
            runners,
            pods,
            uploads,
            statuses,
            attempts,
            threads,
            afterPause,
            clock);
  }

  /** The number of remembered executions. */
  int executions() {
    return executions.size();
  }

  /**
   * Has metrics show the datasets that there are.
   *
   * @param leads whether this replica leads: only then are there caches
   */
  public void bindTo(ProgramMetrics metrics, BooleanSupplier leads) {
    metrics.gauges(
        "assay_datasets",
        "Datasets, by phase.",
        leads,
        () -> DatasetMetrics.byPhase(config.namespaceNames(), resources.datasets()));
  }

  /** The cached Pods of all datasets. */
  public Collection<Pod> snapshotPods() {
    return resources.pods();
  }

  @Override
  public List<EventSource<?, Dataset>> prepareEventSources(EventSourceContext<Dataset> context) {
    return resources.prepare(context);
  }

  @Override
  public UpdateControl<Dataset> reconcile(Dataset dataset, Context<Dataset> context) {
    if (NewerObjects.isNewer(dataset)) {
      creation.leaveQueue(dataset);
      return UpdateControl.noUpdate();
    }
    SnapshotIdentity identity = SnapshotIdentity.of(dataset);
    deleteOtherPods(dataset, identity);
    if (DatasetTransitions.isSettled(dataset)) {
      executions.forget(identity);
      attempts.forget(identity);
      creation.leaveQueue(dataset);
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
      return creation.fail(dataset, identity, refusal.get());
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
    return waitForPod(dataset, identity, pod.get(), runClass);
  }

  /**
   * A lost Pod may have left files behind, so the next one needs a directory of its own. The cache
   * may not have a Pod yet that another operator has created.
   */
  private UpdateControl<Dataset> replaceLostPod(Dataset dataset, SnapshotIdentity identity) {
    if (pods.exists(dataset.getMetadata().getNamespace(), identity.podName())) {
      return UpdateControl.<Dataset>noUpdate().rescheduleAfter(CACHE_RETRY);
    }
    return retry(dataset, identity, "the snapshot's Pod was deleted");
  }

  private UpdateControl<Dataset> retry(Dataset dataset, SnapshotIdentity identity, String why) {
    attempts.startNext(dataset, identity, why);
    return UpdateControl.noUpdate();
  }

  private UpdateControl<Dataset> waitForPod(
      Dataset dataset, SnapshotIdentity identity, Pod pod, RunClass runClass) {
    int pendingSeconds = runClass.getSpec().timeouts().pendingSeconds();
    Instant deadline =
        Instant.parse(pod.getMetadata().getCreationTimestamp()).plusSeconds(pendingSeconds);
    Duration left = Duration.between(clock.instant(), deadline);
    Optional<String> waiting = PodState.waitingReason(pod);
    if (PodState.isUnschedulable(pod)) {
      pods.unschedulable().found(pod.getMetadata().getNamespace());
    }
    if (!left.isPositive()) {
      return creation.fail(
          dataset,
          identity,
          "The Pod did not start within " + pendingSeconds + " s: " + waiting.orElse(""));
    }
    waiting.ifPresent(message -> statuses.loading(dataset, identity, message));
    return UpdateControl.<Dataset>noUpdate().rescheduleAfter(left);
  }

  /** Deletes Pods of earlier generations or attempts, and any Pod of a settled dataset. */
  private void deleteOtherPods(Dataset dataset, SnapshotIdentity identity) {
    boolean settled = DatasetTransitions.isSettled(dataset);
    resources.pods(dataset).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> settled || !pod.getMetadata().getName().equals(identity.podName()))
        .forEach(pods::delete);
  }
}
