package dev.assay.operator.dataset;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StartAttempts;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Puts together what makes snapshots of datasets; the one place that knows all of it. */
public final class Datasets {
  /** The delay between an interrupted execution and the next. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final OperatorConfig config;
  private final DatasetResources resources;
  private final SnapshotExecutions executions;
  private final DatasetReconciler reconciler;

  public Datasets(
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

  Datasets(
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
    DatasetStatusWriter statuses =
        new DatasetStatusWriter(client, recorder, new DatasetMetrics(metrics, clock), clock);
    SnapshotAttempts attempts = new SnapshotAttempts(new StartAttempts(clock), statuses);
    SnapshotWaiting waiting = new SnapshotWaiting(resources, pods, statuses, clock);
    this.executions =
        new SnapshotExecutions(
            resources,
            view -> new SnapshotExecution(runners, keys, uploads, view, clock),
            new SnapshotLoading(new WholeObjects(client), statuses, attempts),
            pods,
            threads,
            afterPause);
    this.reconciler =
        new DatasetReconciler(
            config,
            resources,
            attempts,
            new SnapshotPodCreation(resources, keys, pods, networkPolicies, attempts, waiting),
            new SnapshotPods(resources, pods, statuses, waiting, clock),
            executions);
  }

  /** Decides what is next for a dataset. */
  public DatasetReconciler reconciler() {
    return reconciler;
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
}
