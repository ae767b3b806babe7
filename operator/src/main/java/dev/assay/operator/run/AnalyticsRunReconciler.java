package dev.assay.operator.run;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.NetworkPolicyGuard;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.pod.DatasetMount;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.RunnerPod;
import dev.assay.operator.pod.RunnerPodRequest;
import dev.assay.operator.pod.RunnerPodRequest.PythonWorker;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKey;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is next for a run: refuse it, make its Pod, execute it, stop it, clean up behind it.
 * Never waits: executions have threads of their own.
 */
@ControllerConfiguration(name = "analyticsrun", generationAwareEventProcessing = false)
public final class AnalyticsRunReconciler implements Reconciler<AnalyticsRun> {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration QUOTA_RETRY = Duration.ofSeconds(2);
  private static final int CHUNK_BYTES = 64 * 1024;

  private final OperatorConfig config;
  private final KubernetesClient client;
  private final SigningKey signingKey;
  private final OutputStore outputs;
  private final RunnerPods pods;
  private final NetworkPolicyGuard networkPolicies;
  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final RunDispatcher dispatcher;
  private final Clock clock;
  private final SimpleInboundEventSource<AnalyticsRun> again = new SimpleInboundEventSource<>();
  private @Nullable InformerEventSource<Pod, AnalyticsRun> podCache;
  private @Nullable InformerEventSource<Dataset, AnalyticsRun> datasetCache;
  private @Nullable InformerEventSource<RunClass, AnalyticsRun> classCache;

  public AnalyticsRunReconciler(
      OperatorConfig config,
      KubernetesClient client,
      SigningKey signingKey,
      RunnerClient runners,
      OutputStore outputs,
      NetworkPolicyGuard networkPolicies,
      ExecutorService threads,
      Clock clock) {
    this.config = config;
    this.client = client;
    this.signingKey = signingKey;
    this.outputs = outputs;
    this.networkPolicies = networkPolicies;
    this.clock = clock;
    this.pods = new RunnerPods(client, clock);
    this.statuses = new StatusWriter<>(client, AnalyticsRun.class);
    this.dispatcher =
        new RunDispatcher(
            new RunExecution.Services(statuses, runners, outputs, pods, threads, clock));
  }

  @Override
  public List<EventSource<?, AnalyticsRun>> prepareEventSources(
      EventSourceContext<AnalyticsRun> context) {
    podCache =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Pod.class, AnalyticsRun.class)
                .withLabelSelector(Labels.RUN_UID)
                .withNamespacesInheritedFromController()
                .withSecondaryToPrimaryMapper(Mappers.fromOwnerReferences(AnalyticsRun.class))
                .build(),
            context);
    datasetCache =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Dataset.class, AnalyticsRun.class)
                .withNamespacesInheritedFromController()
                .withSecondaryToPrimaryMapper(dataset -> waitingFor(dataset, context))
                .withPrimaryToSecondaryMapper((AnalyticsRun run) -> datasetIds(run))
                .build(),
            context);
    classCache =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(RunClass.class, AnalyticsRun.class)
                .withSecondaryToPrimaryMapper(runClass -> Set.of())
                .withPrimaryToSecondaryMapper(
                    (AnalyticsRun run) -> Set.of(new ResourceID(run.getSpec().className())))
                .withWatchAllNamespaces()
                .build(),
            context);
    return List.of(podCache, datasetCache, classCache, again);
  }

  @Override
  public UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run, Context<AnalyticsRun> context) {
    if (RunTransitions.isFinal(run)) {
      return cleanUp(run);
    }
    Optional<RunExecution> execution = dispatcher.find(run);
    if (execution.isPresent()) {
      execution.get().podChanged();
      if (run.getSpec().cancelRequested()) {
        execution.get().cancel();
      }
      return UpdateControl.noUpdate();
    }
    Optional<Pod> pod = pod(run);
    if (run.getSpec().cancelRequested()) {
      return end(
          run, pod, Ending.lost(RunReason.Cancelled, "The run was stopped on request", null));
    }
    return RunTransitions.statusOf(run).pod() == null ? admit(run, pod) : resume(run, pod);
  }

  private UpdateControl<AnalyticsRun> admit(AnalyticsRun run, Optional<Pod> pod) {
    RunClass runClass = runClass(run);
    return switch (RunAdmission.decide(run, runClass, name -> dataset(run, name))) {
      case RunAdmission.Refused refused ->
          end(run, pod, Ending.notStarted(refused.reason(), refused.message()));
      case RunAdmission.WaitForDataset wait ->
          waitForStart(
              run, pod, requireNonNull(runClass), RunReason.DatasetNotReady, wait.message());
      case RunAdmission.Admitted admitted -> start(run, pod, requireNonNull(runClass), admitted);
    };
  }

  private UpdateControl<AnalyticsRun> start(
      AnalyticsRun run, Optional<Pod> pod, RunClass runClass, RunAdmission.Admitted admitted) {
    if (pod.isEmpty()) {
      return createPod(run, runClass, admitted);
    }
    if (PodState.isTerminal(pod.get())) {
      return end(
          run,
          pod,
          Ending.notStarted(
              RunReason.StartFailed, "The Pod ended: " + PodState.endedBecause(pod.get())));
    }
    if (PodState.isReachable(pod.get())) {
      execute(run, pod.get(), runClass, admitted);
      return UpdateControl.noUpdate();
    }
    return waitForStart(
        run, pod, runClass, RunReason.WaitingForPod, PodState.waitingBecause(pod.get()).orElse(""));
  }

  /** A bound run whose execution was lost with an earlier operator process. */
  private UpdateControl<AnalyticsRun> resume(AnalyticsRun run, Optional<Pod> pod) {
    String podUid = requireNonNull(RunTransitions.statusOf(run).pod()).uid();
    Optional<Pod> bound = pod.filter(found -> found.getMetadata().getUid().equals(podUid));
    RunClass runClass = runClass(run);
    if (runClass == null) {
      return end(
          run,
          bound,
          Ending.lost(
              RunReason.RunnerLost, "The class was deleted while the run ran", storedOutput(run)));
    }
    if (bound.isEmpty() || !PodState.isReachable(bound.get())) {
      String memory = runClass.getSpec().resources().memory();
      return end(run, bound, Endings.podEnded(bound.orElse(null), memory, storedOutput(run)));
    }
    List<PinnedSnapshot> snapshots = RunTransitions.statusOf(run).snapshots();
    execute(
        run,
        bound.get(),
        runClass,
        RunAdmission.limits(
            run.getSpec(), runClass.getSpec(), snapshots == null ? List.of() : snapshots));
    return UpdateControl.noUpdate();
  }

  private UpdateControl<AnalyticsRun> createPod(
      AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted) {
    String namespace = run.getMetadata().getNamespace();
    RunNamespace runNamespace = config.namespace(namespace).orElseThrow();
    networkPolicies.ensure(namespace);
    try {
      pods.create(RunnerPod.build(podRequest(run, runNamespace, runClass, admitted)));
    } catch (KubernetesClientException e) {
      if (ApiErrors.forbidden(e)) {
        return waitForStart(
                run, Optional.empty(), runClass, RunReason.WaitingForPod, ApiErrors.message(e))
            .rescheduleAfter(QUOTA_RETRY);
      }
      if (ApiErrors.invalid(e)) {
        return end(
            run,
            Optional.empty(),
            Ending.notStarted(
                RunReason.StartFailed, "The Pod was refused: " + ApiErrors.message(e)));
      }
      throw e;
    }
    return UpdateControl.<AnalyticsRun>noUpdate()
        .rescheduleAfter(untilPendingDeadline(run, runClass));
  }

  private RunnerPodRequest podRequest(
      AnalyticsRun run, RunNamespace namespace, RunClass runClass, RunAdmission.Admitted admitted) {
    return new RunnerPodRequest(
        podName(run),
        namespace.name(),
        runClass.getMetadata().getName(),
        runClass.getSpec(),
        owner(run),
        Map.of(Labels.RUN_UID, run.getMetadata().getUid()),
        new PythonWorker(
            admitted.snapshots().stream()
                .map(snapshot -> new DatasetMount(snapshot.dataset(), snapshot.path()))
                .toList()),
        namespace.snapshotClaim(),
        signingKey.publicKeyEntry(),
        runClass.getSpec().timeouts().pendingSeconds()
            + START_TIMEOUT.toSeconds()
            + admitted.timeoutSeconds()
            + 60L);
  }

  private void execute(
      AnalyticsRun run, Pod pod, RunClass runClass, RunAdmission.Admitted admitted) {
    ResourceID id = ResourceID.fromResource(run);
    ResourceID podId = ResourceID.fromResource(pod);
    PodView view =
        new PodView(() -> requireNonNull(podCache).get(podId), pod.getMetadata().getUid());
    dispatcher.execute(
        new RunExecution.Request(
            run, pod, admitted, runClass.getSpec().resources().memory(), START_TIMEOUT),
        view,
        () -> again.propagateEvent(id));
  }

  /** The run waits, with the reason shown, until its pending deadline. */
  private UpdateControl<AnalyticsRun> waitForStart(
      AnalyticsRun run, Optional<Pod> pod, RunClass runClass, RunReason reason, String message) {
    Duration left = untilPendingDeadline(run, runClass);
    if (left.isZero()) {
      return end(
          run,
          pod,
          Ending.notStarted(
              RunReason.StartFailed,
              "The run did not start within "
                  + runClass.getSpec().timeouts().pendingSeconds()
                  + " s"
                  + (message.isEmpty() ? "" : ": " + message)));
    }
    if (!message.isEmpty()) {
      statuses.update(run, current -> RunTransitions.waiting(current, reason, message));
    }
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(left);
  }

  private UpdateControl<AnalyticsRun> end(AnalyticsRun run, Optional<Pod> pod, Ending ending) {
    statuses.update(
        run, current -> RunTransitions.finished(current, ending, null, clock.instant()));
    pod.ifPresent(pods::delete);
    return UpdateControl.noUpdate();
  }

  private UpdateControl<AnalyticsRun> cleanUp(AnalyticsRun run) {
    dispatcher.forget(run.getMetadata().getUid());
    pod(run)
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .ifPresent(pods::delete);
    Duration left = Duration.between(clock.instant(), expiry(run));
    if (left.isPositive()) {
      return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(left.plusMillis(1));
    }
    try {
      outputs.delete(run.getMetadata().getNamespace(), run.getMetadata().getUid());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    client.resource(run).delete();
    return UpdateControl.noUpdate();
  }

  /** What an earlier operator process has stored of the run; absent where there is nothing. */
  private @Nullable RunResult storedOutput(AnalyticsRun run) {
    try {
      Optional<InputStream> stored =
          outputs.read(run.getMetadata().getNamespace(), run.getMetadata().getUid(), 0);
      if (stored.isEmpty()) {
        return null;
      }
      try (InputStream bytes = stored.get()) {
        RunOutput output = new RunOutput();
        byte[] chunk = bytes.readNBytes(CHUNK_BYTES);
        while (chunk.length > 0) {
          output.take(output.size(), chunk);
          chunk = bytes.readNBytes(CHUNK_BYTES);
        }
        return output.partialResult();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Instant expiry(AnalyticsRun run) {
    var timings = RunTransitions.statusOf(run).timings();
    Instant finished =
        timings == null || timings.finished() == null
            ? RunTransitions.created(run)
            : Instant.parse(timings.finished());
    Integer ttl = run.getSpec().ttlSecondsAfterFinished();
    return finished.plusSeconds(ttl == null ? config.runTtlSeconds() : ttl);
  }

  private Duration untilPendingDeadline(AnalyticsRun run, RunClass runClass) {
    Instant deadline =
        RunTransitions.created(run).plusSeconds(runClass.getSpec().timeouts().pendingSeconds());
    Duration left = Duration.between(clock.instant(), deadline);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private Optional<Pod> pod(AnalyticsRun run) {
    return requireNonNull(podCache)
        .get(new ResourceID(podName(run), run.getMetadata().getNamespace()));
  }

  private @Nullable RunClass runClass(AnalyticsRun run) {
    String name = run.getSpec().className();
    return requireNonNull(classCache)
        .get(new ResourceID(name))
        .orElseGet(() -> client.resources(RunClass.class).withName(name).get());
  }

  /** Absence in the cache is not absence: a run and its dataset may have come in one breath. */
  private Optional<Dataset> dataset(AnalyticsRun run, String name) {
    String namespace = run.getMetadata().getNamespace();
    return requireNonNull(datasetCache)
        .get(new ResourceID(name, namespace))
        .or(
            () ->
                Optional.ofNullable(
                    client.resources(Dataset.class).inNamespace(namespace).withName(name).get()));
  }

  private static Set<ResourceID> waitingFor(
      Dataset dataset, EventSourceContext<AnalyticsRun> context) {
    return context
        .getPrimaryCache()
        .list(
            dataset.getMetadata().getNamespace(),
            run ->
                !RunTransitions.isFinal(run)
                    && run.getSpec().datasetNames().contains(dataset.getMetadata().getName()))
        .map(ResourceID::fromResource)
        .collect(Collectors.toSet());
  }

  private static Set<ResourceID> datasetIds(AnalyticsRun run) {
    return run.getSpec().datasetNames().stream()
        .map(name -> new ResourceID(name, run.getMetadata().getNamespace()))
        .collect(Collectors.toSet());
  }

  private static String podName(AnalyticsRun run) {
    return "run-" + run.getMetadata().getUid();
  }

  private static OwnerReference owner(AnalyticsRun run) {
    return new OwnerReferenceBuilder()
        .withApiVersion(run.getApiVersion())
        .withKind(run.getKind())
        .withName(run.getMetadata().getName())
        .withUid(run.getMetadata().getUid())
        .withController(true)
        .build();
  }
}
