package dev.assay.operator.run;

import static dev.assay.operator.Samples.NAMESPACE;
import static java.util.Objects.requireNonNull;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.FakeApiServer.Request;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.UserIdRange;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.AwaitedAnswers;
import dev.assay.operator.pool.IdlePods;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.fixture.FakeRunResources;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.HoldingGateway;
import dev.assay.operator.tool.ToolCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** A reconciler of runs, with the resources that it reads and the API server that it writes to. */
final class ReconcilerFixture implements AutoCloseable {
  static final String POD_PATH = "/namespaces/" + NAMESPACE + "/pods";
  static final String RUN_STATUS = "/analyticsruns/run-1/status";

  final ManualClock clock = new ManualClock();
  final FakeApiServer api = new FakeApiServer();
  final FakeOutputStore outputs = new FakeOutputStore();
  final FakeRunResources resources = new FakeRunResources();
  final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));

  /** The namespaces whose policy was requested. */
  final List<String> shutIn = new ArrayList<>();

  /** Holds the executions that were started. */
  final ManualThreads executions = new ManualThreads();

  /** Required by no class, unless a test configures it. */
  EgressTarget egressTarget = new EgressTarget(null);

  final ProgramMetrics metrics = ProgramMetrics.create();
  private final ManualThreads eventThreads = new ManualThreads();
  private final RunnerClient runners = new RunnerClient(clock);
  private OperatorConfig config = Samples.config();
  private @Nullable HoldingGateway gateway;
  private RunPath path = path(executions);

  ReconcilerFixture() {
    api.put(Samples.run());
  }

  /** Restarts the operator with few user ids for Pods. */
  void userIdsAre(UserIdRange userIds) {
    config = Samples.config(userIds);
    operatorRestarts(executions);
  }

  /** Replaces the reconciler by that of an operator that has just started. */
  void operatorRestarts(ExecutorService threads) {
    path = path(threads);
  }

  /** Restarts the operator with a tool gateway. */
  void toolGatewayIs(HoldingGateway used) {
    gateway = used;
    operatorRestarts(executions);
  }

  private ToolCalls toolCalls(ExecutorService threads) {
    RunOutputs stored = new RunOutputs(outputs, clock);
    return gateway == null
        ? new ToolCalls(
            null,
            api.client(),
            runners,
            stored,
            new EventRecorder(api.client(), eventThreads, clock),
            ProgramMetrics.unread(),
            threads,
            clock)
        : gateway.toolCalls(runners, stored, threads, clock);
  }

  private RunPath path(ExecutorService threads) {
    return new RunPath(
        config,
        Samples.served(config, api.client()),
        api.client(),
        resources,
        keys,
        egressTarget,
        runners,
        new RunnerPods(api.client(), clock),
        new RunOutputs(outputs, clock),
        toolCalls(threads),
        new AwaitedAnswers(
            clock, RunStatusWriter.SHORT_RUN, (changed, time) -> clock.advance(time)),
        shutIn::add,
        Nodes.UNKNOWN,
        new EventRecorder(api.client(), eventThreads, clock),
        List::of,
        metrics,
        threads,
        clock);
  }

  /** Has metrics show the runs that are cached. */
  void showRuns() {
    path.bindTo(metrics, () -> true);
  }

  /** One round of the pools, and the checks of their Pods. */
  void reconcilePools() {
    IdlePods.reconcile(path.pools());
    executions.runAll();
  }

  /** Replaces the run. */
  void run(AnalyticsRunSpec spec, @Nullable AnalyticsRunStatus status) {
    api.put(Samples.run(spec, status));
  }

  /** Binds the run to the Pod of {@link Samples}. */
  void runIsBound() {
    AnalyticsRun run = read();
    run(run.getSpec(), boundStatus());
  }

  AnalyticsRunStatus boundStatus() {
    return Bindings.status(Samples.run(), Bindings.ownPod("nonce"), clock.instant());
  }

  /** Adds the Pod to the informer and to the API server. */
  Pod podIs(PodChange change) {
    Pod pod = api.put(change.of(new PodBuilder(Samples.runningPod(7333))).build());
    resources.pod = pod;
    return pod;
  }

  /** A running Pod whose runner has this port and trusts the current key. */
  PodBuilder reachableAt(PodBuilder running, int port) {
    return new PodBuilder(Samples.trusting(running.build(), keys.current()))
        .editSpec()
        .editFirstContainer()
        .editFirstPort()
        .withContainerPort(port)
        .endPort()
        .endContainer()
        .endSpec();
  }

  /** A Pod of the run's class waits for a run. */
  void podIsIdle(FakeRunner runner) {
    podIsIdle(runner, new ClassWarmPool(1, null, null, null));
  }

  /** A Pod of the run's class, which has these pools, waits for a run. */
  void podIsIdle(FakeRunner runner, ClassWarmPool pool) {
    RunClass runClass = Samples.runClass(Samples.classSpec(Purpose.Run).withWarmPool(pool));
    resources.runClass = runClass;
    runner.on("/v1/ready", FakeRunner.json(200, "{\"ready\":true}"));
    resources.otherPods.add(
        api.put(
            IdlePods.of(
                new PoolTemplates(keys, egressTarget, RunLimits::ofWarmPod)
                    .of(config.namespaces().getFirst(), runClass, Program.PYTHON),
                Samples.warm(
                    reachableAt(new PodBuilder(Samples.runningPod(7333)), runner.port())
                        .editSpec()
                        .withNodeName("node-1")
                        .endSpec()
                        .build()))));
    reconcilePools();
  }

  /** Changes a running Pod. */
  @FunctionalInterface
  interface PodChange {
    PodBuilder of(PodBuilder running);
  }

  /**
   * Reconciles the run in the state that the API server has.
   *
   * @return when it is to be reconciled again; absent if only a change triggers that
   */
  @Nullable Duration reconcile() {
    return reconcile(read());
  }

  @Nullable Duration reconcile(AnalyticsRun run) {
    var control = path.reconciler().reconcile(run, Samples.context());
    if (!control.isNoUpdate()) {
      throw new AssertionError("Statuses are written by the StatusWriter alone");
    }
    return control.getScheduleDelay().map(Duration::ofMillis).orElse(null);
  }

  AnalyticsRun read() {
    return api.client()
        .resources(AnalyticsRun.class)
        .inNamespace(NAMESPACE)
        .withName("run-1")
        .require();
  }

  AnalyticsRunStatus status() {
    return requireNonNull(api.read(Samples.run()).getStatus());
  }

  int statusWrites() {
    return api.requests("PATCH", RUN_STATUS).size();
  }

  List<Request> podCreations() {
    return api.requests("POST", POD_PATH);
  }

  List<Request> podDeletions() {
    return api.requests("DELETE", POD_PATH);
  }

  /** The reasons of the Events so far, in order. */
  List<String> events() {
    eventThreads.runAll();
    return api.requests("POST", "/events").stream()
        .map(request -> request.body().path("reason").asText())
        .toList();
  }

  @Override
  public void close() {
    runners.close();
    api.close();
  }
}
