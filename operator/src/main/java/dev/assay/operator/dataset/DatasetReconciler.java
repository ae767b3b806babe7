package dev.assay.operator.dataset;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.PodQueue;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StartAttempts;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.RunnerPod;
import dev.assay.operator.runner.FailedStart;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates a snapshot of each generation of a dataset, in a Pod of its own. */
@ControllerConfiguration(name = "dataset", generationAwareEventProcessing = false)
public final class DatasetReconciler implements Reconciler<Dataset> {
  private static final Logger LOG = LoggerFactory.getLogger(DatasetReconciler.class);
  private static final Duration FORBIDDEN_RETRY = Duration.ofSeconds(10);

  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  private static final Duration MAX_BACKOFF = Duration.ofMinutes(1);

  /** The delay between an interrupted execution and the next. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final OperatorConfig config;
  private final DatasetResources resources;
  private final SigningKeys keys;
  private final RunnerClient runners;
  private final RunnerPods pods;
  private final Uploads uploads;
  private final WholeObjects wholes;
  private final NetworkPolicies networkPolicies;
  private final DatasetStatusWriter statuses;
  private final ExecutorService threads;
  private final Executor afterPause;
  private final Clock clock;
  private final StartAttempts attempts;

  /** Since when the API server has rejected a Pod, by the id of the attempt. */
  private final Map<String, Instant> refusedSince = new ConcurrentHashMap<>();

  private final Map<String, SnapshotExecution> executions = new ConcurrentHashMap<>();

  public DatasetReconciler(
      OperatorConfig config,
      KubernetesClient client,
      SigningKeys keys,
      RunnerClient runners,
      RunnerPods pods,
      Uploads uploads,
      NetworkPolicies networkPolicies,
      EventRecorder recorder,
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
      ExecutorService threads,
      Executor afterPause,
      Clock clock) {
    this.config = config;
    this.resources = resources;
    resources.onPodEnded(pods.queue()::roomFreed);
    this.keys = keys;
    this.wholes = new WholeObjects(client);
    this.runners = runners;
    this.pods = pods;
    this.uploads = uploads;
    this.networkPolicies = networkPolicies;
    this.statuses = new DatasetStatusWriter(client, recorder, clock);
    this.threads = threads;
    this.afterPause = afterPause;
    this.clock = clock;
    this.attempts = new StartAttempts(clock);
  }

  /** The number of remembered executions. */
  int executions() {
    return executions.size();
  }

  @Override
  public List<EventSource<?, Dataset>> prepareEventSources(EventSourceContext<Dataset> context) {
    return resources.prepare(context);
  }

  @Override
  public UpdateControl<Dataset> reconcile(Dataset dataset, Context<Dataset> context) {
    SnapshotIdentity identity = SnapshotIdentity.of(dataset);
    deleteOtherPods(dataset, identity);
    if (DatasetTransitions.isSettled(dataset)) {
      executions.keySet().removeIf(id -> id.startsWith(identity.datasetUid()));
      attempts.forget(identity.datasetUid());
      leaveQueue(dataset);
      return UpdateControl.noUpdate();
    }
    SnapshotExecution execution = executions.get(identity.id());
    if (execution != null) {
      execution.podChanged();
      return UpdateControl.noUpdate();
    }
    RunNamespace namespace = config.namespace(dataset.getMetadata().getNamespace()).orElseThrow();
    RunClass found = resources.runClass(dataset);
    Optional<String> refusal = DatasetChecks.refusal(dataset, namespace, found);
    if (refusal.isPresent()) {
      return fail(dataset, identity, refusal.get());
    }
    RunClass runClass = requireNonNull(found);
    Optional<Pod> pod = resources.pod(dataset, identity.podName());
    if (pod.isEmpty() && DatasetTransitions.hadPod(dataset, identity)) {
      return replaceLostPod(dataset, identity);
    }
    if (pod.isEmpty()) {
      return createPod(dataset, identity, namespace, runClass);
    }
    if (PodState.isTerminal(pod.get())) {
      return retry(dataset, identity, PodState.terminationReason(pod.get()));
    }
    if (PodState.isReachable(pod.get())) {
      execute(dataset, identity, pod.get(), runClass);
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

  private UpdateControl<Dataset> createPod(
      Dataset dataset, SnapshotIdentity identity, RunNamespace namespace, RunClass runClass) {
    Duration backoff = attempts.backoff(identity.datasetUid());
    if (backoff.isPositive()) {
      leaveQueue(dataset);
      return UpdateControl.<Dataset>noUpdate().rescheduleAfter(backoff);
    }
    Optional<Duration> wait = pods.queue().turn(namespace.name(), waiting(dataset));
    if (wait.isPresent()) {
      return waitForRoom(
          dataset, identity, runClass, "Queued for room in the namespace's quota", wait.get());
    }
    networkPolicies.ensure(namespace.name());
    try {
      pods.create(
              RunnerPod.build(
                  SnapshotPodRequest.of(
                      dataset, identity, namespace, runClass, keys.current().publicKeyEntry())))
          .ifPresent(resources::podCreated);
    } catch (KubernetesClientException e) {
      if (!ApiErrors.quotaExceeded(e)) {
        // It does not wait for room in the quota, and must not block those that do.
        pods.queue().leave(namespace.name(), dataset.getMetadata().getUid());
      }
      if (ApiErrors.forbidden(e)) {
        String words = ApiErrors.message(e);
        Duration retry =
            ApiErrors.quotaExceeded(e)
                ? pods.queue().refused(namespace.name(), waiting(dataset), words)
                : FORBIDDEN_RETRY;
        return waitForRoom(dataset, identity, runClass, words, retry);
      }
      if (ApiErrors.invalid(e)) {
        return fail(dataset, identity, "The Pod was rejected: " + ApiErrors.message(e));
      }
      throw e;
    }
    leaveQueue(dataset);
    statuses.loading(
        dataset,
        identity,
        dataset.getSpec().source().upload() == null ? "Reading the source" : "Creating its Pod");
    return UpdateControl.<Dataset>noUpdate()
        .rescheduleAfter(Duration.ofSeconds(runClass.getSpec().timeouts().pendingSeconds()));
  }

  /** Waits while the API server rejects the Pod, until this leader's pending deadline. */
  private UpdateControl<Dataset> waitForRoom(
      Dataset dataset,
      SnapshotIdentity identity,
      RunClass runClass,
      String message,
      Duration retry) {
    Instant since = refusedSince.computeIfAbsent(identity.id(), id -> clock.instant());
    int pendingSeconds = runClass.getSpec().timeouts().pendingSeconds();
    Duration left = Duration.between(clock.instant(), since.plusSeconds(pendingSeconds));
    if (!left.isPositive()) {
      return fail(
          dataset, identity, "No Pod could be created within " + pendingSeconds + " s: " + message);
    }
    statuses.waitingForPod(dataset, identity, message);
    return UpdateControl.<Dataset>noUpdate()
        .rescheduleAfter(retry.compareTo(left) < 0 ? retry : left);
  }

  private PodQueue.Waiting waiting(Dataset dataset) {
    return new PodQueue.Waiting(
        dataset.getMetadata().getUid(),
        Instant.parse(dataset.getMetadata().getCreationTimestamp()),
        () -> resources.isOpen(dataset),
        () -> resources.reconcileAgain(dataset));
  }

  private void leaveQueue(Dataset dataset) {
    refusedSince.keySet().removeIf(id -> id.startsWith(dataset.getMetadata().getUid()));
    pods.queue().leave(dataset.getMetadata().getNamespace(), dataset.getMetadata().getUid());
  }

  private void execute(Dataset dataset, SnapshotIdentity identity, Pod pod, RunClass runClass) {
    PodView view =
        new PodView(() -> resources.pod(dataset, identity.podName()), pod.getMetadata().getUid());
    SnapshotExecution execution = new SnapshotExecution(runners, keys, uploads, view, clock);
    if (executions.putIfAbsent(identity.id(), execution) == null) {
      threads.execute(() -> executeToEnd(execution, dataset, identity, pod, runClass));
    }
  }

  private void executeToEnd(
      SnapshotExecution execution,
      Dataset dataset,
      SnapshotIdentity identity,
      Pod pod,
      RunClass runClass) {
    try {
      Optional<Dataset> whole =
          wholes.read(dataset).filter(found -> SnapshotIdentity.of(found).equals(identity));
      if (whole.isEmpty()) {
        // The dataset was replaced or deleted: the next reconcile decides.
        interrupted(dataset, identity);
        return;
      }
      SnapshotExecution.Progress progress = progressOf(dataset, identity);
      boolean there =
          switch (execution.execute(whole.get(), pod, runClass.getSpec(), identity, progress)) {
            case SnapshotExecution.Reported reported ->
                finish(dataset, identity, reported.result());
            case SnapshotExecution.Lost lost -> startNextAttempt(dataset, identity, lost.message());
            case SnapshotExecution.Refused refused ->
                statuses.failed(dataset, identity, refused.message());
            case SnapshotExecution.OutOfMemory unused ->
                statuses.failed(
                    dataset,
                    identity,
                    "Reading the source needs more memory than class '"
                        + runClass.getMetadata().getName()
                        + "' gives, which is "
                        + runClass.getSpec().resources().memory()
                        + ": name a snapshot class that gives more");
          };
      if (!there) {
        // It will not be needed again.
        executions.remove(identity.id());
        attempts.forget(identity.datasetUid());
      }
      pods.delete(pod);
    } catch (InterruptedException e) {
      // The operator is shutting down; the next one reads the Pod's result again.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warn("Loading snapshot {} failed and will be resumed: {}", identity.id(), e.toString());
      interrupted(dataset, identity);
    }
  }

  private SnapshotExecution.Progress progressOf(Dataset dataset, SnapshotIdentity identity) {
    UploadSource upload = dataset.getSpec().source().upload();
    long bytes = upload == null ? 0 : upload.bytes();
    return new SnapshotExecution.Progress() {
      @Override
      public void uploading() {
        statuses.uploading(dataset, identity, bytes);
      }

      @Override
      public void uploaded() {
        statuses.loading(dataset, identity, "Reading the source");
      }
    };
  }

  private void interrupted(Dataset dataset, SnapshotIdentity identity) {
    afterPause.execute(
        () -> {
          executions.remove(identity.id());
          resources.reconcileAgain(dataset);
        });
  }

  /** Returns whether the dataset still exists. */
  private boolean finish(Dataset dataset, SnapshotIdentity identity, RunnerEvent.Result result) {
    if (result.outcome() == RunnerEvent.Outcome.WorkerLost) {
      return startNextAttempt(
          dataset, identity, "the worker container terminated while it read the source");
    }
    Optional<String> passing = FailedStart.retryableCause(result, null);
    if (passing.isPresent()) {
      var unused = attempts.failed(identity.datasetUid(), identity.podName(), MAX_BACKOFF);
      return startNextAttempt(dataset, identity, "nothing was read: " + passing.get());
    }
    if (result.outcome() != RunnerEvent.Outcome.Succeeded) {
      return statuses.failed(dataset, identity, refusal(result));
    }
    Optional<Snapshot> snapshot = SnapshotDescription.read(result.description(), identity);
    if (snapshot.isEmpty()) {
      return statuses.failed(dataset, identity, "The snapshot's description is malformed");
    }
    return statuses.ready(dataset, identity, snapshot.get());
  }

  private static String refusal(RunnerEvent.Result result) {
    return switch (result.outcome()) {
      case CodeError, StartFailed, Succeeded ->
          result.error() == null
              ? "The source could not be read"
              : result.error().type() + ": " + result.error().message();
      case DeadlineExceeded -> "Reading the source took longer than its class allows";
      // A lost worker or one out of memory is handled earlier.
      case Cancelled, MemoryExceeded, WorkerLost -> "Loading was cancelled";
    };
  }

  /**
   * Starts another attempt, with a directory of its own, unless the maximum is reached or the
   * uploaded bytes were lost with this one.
   */
  private boolean startNextAttempt(Dataset dataset, SnapshotIdentity identity, String why) {
    if (dataset.getSpec().source().upload() != null) {
      return statuses.failed(
          dataset, identity, "The upload was lost: " + why + ". Upload it again");
    }
    if (identity.attempt() + 1 >= Bounds.SNAPSHOT_ATTEMPTS) {
      return statuses.failed(
          dataset, identity, "Loading failed " + Bounds.SNAPSHOT_ATTEMPTS + " times: " + why);
    }
    SnapshotIdentity next =
        new SnapshotIdentity(identity.datasetUid(), identity.generation(), identity.attempt() + 1);
    return statuses.waitingForPod(dataset, next, "Retrying: " + why);
  }

  private UpdateControl<Dataset> retry(Dataset dataset, SnapshotIdentity identity, String why) {
    startNextAttempt(dataset, identity, why);
    return UpdateControl.noUpdate();
  }

  private UpdateControl<Dataset> waitForPod(
      Dataset dataset, SnapshotIdentity identity, Pod pod, RunClass runClass) {
    int pendingSeconds = runClass.getSpec().timeouts().pendingSeconds();
    Instant deadline =
        Instant.parse(pod.getMetadata().getCreationTimestamp()).plusSeconds(pendingSeconds);
    Duration left = Duration.between(clock.instant(), deadline);
    Optional<String> waiting = PodState.waitingReason(pod);
    if (!left.isPositive()) {
      return fail(
          dataset,
          identity,
          "The Pod did not start within " + pendingSeconds + " s: " + waiting.orElse(""));
    }
    waiting.ifPresent(message -> statuses.loading(dataset, identity, message));
    return UpdateControl.<Dataset>noUpdate().rescheduleAfter(left);
  }

  private UpdateControl<Dataset> fail(Dataset dataset, SnapshotIdentity identity, String message) {
    leaveQueue(dataset);
    statuses.failed(dataset, identity, message);
    return UpdateControl.noUpdate();
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
