package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.AwaitedAnswers;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.cluster.ClassImages;
import dev.assay.operator.run.cluster.CurrentSnapshots;
import dev.assay.operator.run.results.ArtifactTransfer;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunOrigin;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.HoldingGateway;
import dev.assay.operator.tool.RunToolPolicy;
import dev.assay.operator.tool.ToolCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The run and the Pod of {@link Samples}, with a runner, an API server and an output store. */
public final class ExecutionFixture implements AutoCloseable {
  public static final int OUTPUT_LIMIT = 32;
  public static final int TIMEOUT_SECONDS = 30;
  public static final String RUN_STATUS = "/analyticsruns/run-1/status";
  public static final String PODS = "/pods/run-" + RUN_UID;

  /** The first execution. */
  public static final String DISPATCHER = "execution-1";

  public final ManualClock clock = new ManualClock();
  public final FakeApiServer api = new FakeApiServer();
  public final FakeOutputStore outputs = new FakeOutputStore();
  public final TrackedThreads threads = new TrackedThreads();
  public final RunnerClient runners = new RunnerClient(clock);
  public final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  public final FakeRunner runner = new FakeRunner(keys.current());

  /** Not resolved, unless a test does. */
  public final EgressTarget egressTarget =
      new EgressTarget(new EgressCheckConfig("127.0.0.1", runner.port()));

  private final AtomicInteger executions = new AtomicInteger();

  /** The runs that the cache is told of. */
  public final List<AnalyticsRun> written = new ArrayList<>();

  public final WarmRefusals refusals = new WarmRefusals(clock);

  /** Who waits for them advances the clock. */
  public final AwaitedAnswers answers =
      new AwaitedAnswers(clock, RunStatusWriter.SHORT_RUN, (changed, time) -> clock.advance(time));

  /** The classes that the cache has. */
  public final List<RunClass> classes = new ArrayList<>();

  public final ExecutionServices services = services(threads.executor());
  private final AtomicReference<Optional<Pod>> seen = new AtomicReference<>(Optional.empty());
  private @Nullable PodView view;

  /** The check of the run's code. */
  public Job.@Nullable Guard guard;

  /** Which tools the run's code may call. */
  public @Nullable RunToolPolicy tools;

  /** How the run waits for its Pod. */
  public final FakeWaiting waiting = new FakeWaiting();

  /** Remembers why a run waits. */
  public static final class FakeWaiting implements ExecutionRequest.Waiting {
    public final List<String> causes = new ArrayList<>();
    public Duration left = Duration.ofMinutes(5);

    @Override
    public Duration left() {
      return left;
    }

    @Override
    public void because(String message) {
      causes.add(message);
    }
  }

  /** The message for a run that gets another Pod; null if it gets none. */
  public @Nullable String retryMessage;

  /** Those that the run was admitted with; null for those of its Pod. */
  public @Nullable List<PinnedSnapshot> snapshots;

  /** Those that the datasets have now; null for those that the run has. */
  public volatile @Nullable List<PinnedSnapshot> currentSnapshots;

  /** Whether reads of datasets fail. */
  public volatile boolean datasetsCannotBeRead;

  public ExecutionFixture() {
    api.put(Samples.run());
    podBecomes(pod -> pod);
    loadIndex();
  }

  /** Reads the index of the output store. */
  public void loadIndex() {
    try {
      services.outputs().loadIndex(NAMESPACE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same as {@link #execution}, before the index of the output store was read. */
  public RunExecution executionWithoutIndex() {
    return new RunExecution(services(threads.executor()), request(), view());
  }

  /** An execution of the run in its current state, as a cache contains it. */
  public RunExecution execution() {
    return new RunExecution(services, request(), view());
  }

  /** The same as {@link #execution}, by an operator that has a tool gateway. */
  public RunExecution execution(HoldingGateway gateway) {
    RunOutputs stored = services.outputs();
    ToolCalls calls = gateway.toolCalls(runners, stored, threads.executor(), clock);
    return new RunExecution(services(threads.executor(), stored, calls), request(), view());
  }

  /** From now on as in a process that has not seen the run arrive. */
  public void loseTexts() {
    services.wholes().withTexts(cachedRun());
  }

  public ExecutionServices services(ExecutorService executor) {
    RunOutputs stored = new RunOutputs(outputs, clock);
    return services(
        executor,
        stored,
        new ToolCalls(
            null,
            api.client(),
            runners,
            stored,
            new EventRecorder(api.client(), executor, clock),
            ProgramMetrics.unread(),
            executor,
            clock));
  }

  private ExecutionServices services(
      ExecutorService executor, RunOutputs stored, ToolCalls toolCalls) {
    return new ExecutionServices(
        new StatusWriter<>(api.client(), AnalyticsRun.class),
        runners,
        new EgressCheck(
            runners,
            egressTarget,
            namespace -> {},
            new EventRecorder(api.client(), executor, clock),
            clock),
        stored,
        new ArtifactTransfer(runners, stored, namespace -> {}, clock),
        toolCalls,
        new RunnerPods(api.client(), clock),
        keys,
        new WholeObjects(api.client()),
        new CurrentSnapshots((run, name) -> currentSnapshot(name), executor),
        new ClassImages(api.client(), () -> classes, clock),
        new RunEvents(new EventRecorder(api.client(), executor, clock)),
        refusals,
        answers,
        (before, after) -> written.add(after),
        () -> "execution-" + executions.incrementAndGet(),
        executor,
        clock);
  }

  private Optional<PinnedSnapshot> currentSnapshot(String dataset) {
    if (datasetsCannotBeRead) {
      throw new KubernetesClientException("the API server does not answer");
    }
    List<PinnedSnapshot> current = currentSnapshots;
    return Objects.requireNonNullElseGet(
            current, () -> Objects.requireNonNullElseGet(snapshots, () -> status().snapshotList()))
        .stream()
        .filter(snapshot -> snapshot.dataset().equals(dataset))
        .findFirst();
  }

  public ExecutionRequest request() {
    AnalyticsRun run = cachedRun();
    Pod pod = seen.get().orElseThrow();
    return new ExecutionRequest(
        run,
        pod,
        snapshots == null ? RunOrigin.snapshots(run, pod) : snapshots,
        idleHello(),
        Instant.parse(Samples.CREATED),
        new RunLimits(
            Duration.ofSeconds(TIMEOUT_SECONDS), OUTPUT_LIMIT, "512Mi", Samples.ARTIFACTS),
        guard,
        tools,
        Duration.ofSeconds(60),
        cause -> Optional.ofNullable(retryMessage).map(message -> message + cause),
        waiting);
  }

  /** A run that is not bound was just given its warm Pod. */
  private @Nullable Hello idleHello() {
    return PodState.isWarm(seen.get().orElseThrow()) && !RunState.isBound(cachedRun())
        ? FakeRunner.idleHello(Hello.EGRESS)
        : null;
  }

  public PodView view() {
    PodView view = new PodView(seen::get, Samples.POD_UID);
    this.view = view;
    return view;
  }

  public AnalyticsRun cachedRun() {
    return api.client()
        .resources(AnalyticsRun.class)
        .inNamespace(NAMESPACE)
        .withName("run-1")
        .require();
  }

  /** The status in the API server. */
  public AnalyticsRunStatus status() {
    return requireNonNull(api.read(Samples.run()).getStatus());
  }

  /** Another client changes the run. */
  public void runBecomes(UnaryOperator<AnalyticsRun> change) {
    api.put(change.apply(api.read(Samples.run())));
  }

  public void cancelIsRequested() {
    runBecomes(run -> Samples.run(Samples.spec("print(1)", null, null, true), run.getStatus()));
  }

  /** The Pod's state changes. */
  public void podBecomes(UnaryOperator<Pod> change) {
    Pod pod = seen.get().orElseGet(this::pod);
    seen.set(Optional.of(api.put(change.apply(pod))));
    podChanged();
  }

  /** The Pod is one of a pool: it belongs to the class of the run. */
  public void podIsWarm() {
    podBecomes(Samples::warm);
  }

  /** The Pod is deleted. */
  public void podGoes() {
    seen.get().ifPresent(api::remove);
    seen.set(Optional.empty());
    podChanged();
  }

  private void podChanged() {
    if (view != null) {
      view.podChanged();
    }
  }

  /** The reasons that were written to the run's status, in order. */
  public List<String> reasons() {
    return api.requests("PATCH", RUN_STATUS).stream()
        .map(request -> reason(request.body()))
        .toList();
  }

  public void awaitWritten(RunReason reason) throws InterruptedException {
    api.await("PATCH", RUN_STATUS, body -> reason(body).equals(reason.name()));
  }

  /** A status may be left out that the run's end overtakes; its Event is not. */
  public void awaitEvent(RunReason reason) throws InterruptedException {
    api.await("POST", "/events", body -> body.path("reason").asText().equals(reason.name()));
  }

  public boolean podIsDeleted() {
    return !api.requests("DELETE", PODS).isEmpty();
  }

  public String output() {
    return outputs.text(NAMESPACE, RUN_UID);
  }

  public static String reason(JsonNode patch) {
    return FakeApiServer.statusMember(patch, "reason");
  }

  private Pod pod() {
    return new PodBuilder(Samples.trusting(Samples.runningPod(runner.port()), keys.current()))
        .editSpec()
        .withActiveDeadlineSeconds(5000L)
        .endSpec()
        .editStatus()
        .withStartTime(Samples.CREATED)
        .endStatus()
        .build();
  }

  @Override
  public void close() {
    egressTarget.close();
    runner.close();
    runners.close();
    api.close();
    threads.executor().shutdownNow();
  }
}
