package dev.assay.training;

import dev.assay.api.config.ConfigReader;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.EgressCheck;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.AssayOperator;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.LeaderElectionConfig;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Operators in this process, on a cluster without idle Pods, unless a test has one. */
final class InProcess implements AutoCloseable {
  private static final String RUN_CLASS = "plain";
  static final long TIMEOUT_SECONDS = 60;

  private final StandInCluster cluster;
  private final TrainingFiles files;
  private final KubernetesClient client;

  InProcess(Path directory) throws IOException {
    this(directory, () -> {});
  }

  /**
   * A cluster whose runs end when they may.
   *
   * @param beforeResult called before a Pod sends its result, which it can delay
   */
  InProcess(Path directory, Runnable beforeResult) throws IOException {
    this.cluster = new StandInCluster("token", beforeResult);
    this.client = cluster.client();
    this.files = new TrainingFiles(directory);
    RunClass plain = client.resources(RunClass.class).withName("code").require();
    client.resources(RunClass.class).delete();
    plain.setMetadata(new ObjectMetaBuilder().withName(RUN_CLASS).build());
    plain.setSpec(plain.getSpec().withEgressCheck(EgressCheck.Disabled));
    client.resource(plain).create();
  }

  /** How clients reach the API server. */
  Config config() {
    return client.getConfiguration();
  }

  KubernetesClient client() {
    return client;
  }

  /** An operator that is not started. */
  AssayOperator operator(
      String name,
      KubernetesClient requests,
      @Nullable LeaderElectionConfig election,
      Consumer<Exception> cannotLead)
      throws IOException {
    return operator(name, requests, election, ProgramMetrics.unread(), cannotLead);
  }

  /** The same with metrics. */
  AssayOperator operator(
      String name,
      KubernetesClient requests,
      @Nullable LeaderElectionConfig election,
      ProgramMetrics metrics,
      Consumer<Exception> cannotLead)
      throws IOException {
    OperatorConfig trained =
        ConfigReader.read(
            files.writeResource(
                "operator.yaml",
                Map.of(
                    "directory", files.directory().toString(),
                    "operatorPort", "1",
                    "frontEndPort", "1")),
            OperatorConfig.class);
    OperatorConfig config =
        new OperatorConfig(
            trained.namespaces(),
            trained.runTtlSeconds(),
            trained.maxRunsPerNamespace(),
            trained.outputStore(),
            null,
            election,
            trained.signingKeyMaxAgeDays(),
            trained.snapshotCleanup(),
            trained.warmPools(),
            null,
            null,
            trained.operatorPodLabels());
    return new AssayOperator(
        requests,
        config,
        new AssayOperator.Replica(StandInCluster.SYSTEM_NAMESPACE, name, "127.0.0.1"),
        Clock.systemUTC(),
        metrics,
        cannotLead);
  }

  /** From now on the class of the runs has a pool with one Pod. */
  void haveOneIdlePod() {
    client
        .resources(RunClass.class)
        .withName(RUN_CLASS)
        .edit(
            known -> {
              known.setSpec(known.getSpec().withWarmPool(new ClassWarmPool(1, null, null, null)));
              return known;
            });
  }

  /**
   * Waits for the Pod of the pool.
   *
   * @param hits runs that were given one before
   */
  void awaitIdlePod(long hits) {
    client
        .resources(RunClass.class)
        .withName(RUN_CLASS)
        .waitUntilCondition(found -> hasIdlePod(found, hits), TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private static boolean hasIdlePod(RunClass runClass, long hits) {
    RunClassStatus status = runClass.getStatus();
    return status != null
        && status.warmPool() != null
        && status.warmPool().ready() == 1
        && status.warmPool().hits() == hits;
  }

  /** Creates a run and waits for its end, and for that of its Pod. */
  AnalyticsRunStatus run(String name) {
    create(name);
    return awaitEnd(name);
  }

  /** Creates a run. */
  void create(String name) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder().withNamespace(StandInCluster.RUN_NAMESPACE).withName(name).build());
    run.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .language(Language.PYTHON)
            .className(RUN_CLASS)
            .code("print('x')")
            .build());
    client.resource(run).create();
  }

  /** Waits for the end of a run, and for that of its Pod. */
  AnalyticsRunStatus awaitEnd(String name) {
    AnalyticsRunStatus ended = await(name, RunPhase::isFinal);
    awaitNoPod(name);
    return ended;
  }

  /** Waits for a phase of a run. */
  AnalyticsRunStatus await(String name, Predicate<RunPhase> wanted) {
    AnalyticsRun run =
        client
            .resources(AnalyticsRun.class)
            .inNamespace(StandInCluster.RUN_NAMESPACE)
            .withName(name)
            .waitUntilCondition(
                found -> hasPhase(found, wanted), TIMEOUT_SECONDS, TimeUnit.SECONDS);
    return Objects.requireNonNull(run.getStatus());
  }

  private static boolean hasPhase(@Nullable AnalyticsRun run, Predicate<RunPhase> wanted) {
    AnalyticsRunStatus status = run == null ? null : run.getStatus();
    return status != null && status.phase() != null && wanted.test(status.phase());
  }

  /** Waits until the Pod of a run is gone. */
  void awaitNoPod(String run) {
    AnalyticsRun found =
        client
            .resources(AnalyticsRun.class)
            .inNamespace(StandInCluster.RUN_NAMESPACE)
            .withName(run)
            .require();
    String pod = Objects.requireNonNull(Objects.requireNonNull(found.getStatus()).pod()).name();
    client
        .pods()
        .inNamespace(StandInCluster.RUN_NAMESPACE)
        .withName(pod)
        .waitUntilCondition(Objects::isNull, TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
