package dev.assay.operator;

import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.config.OperatorConfig.LeaderElectionConfig;
import dev.assay.operator.dataset.DatasetReconciler;
import dev.assay.operator.dataset.SnapshotCleanup;
import dev.assay.operator.endpoint.LeaderEndpoint;
import dev.assay.operator.health.ApiProbe;
import dev.assay.operator.health.HealthCheck;
import dev.assay.operator.health.HealthMonitor;
import dev.assay.operator.health.InformerHealth;
import dev.assay.operator.health.ReconcileThreads;
import dev.assay.operator.kubernetes.ApiClients;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.LeaderLease;
import dev.assay.operator.kubernetes.NetworkPolicyGuard;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.FileOutputStore;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.AnalyticsRunReconciler;
import dev.assay.operator.run.OutputCleanup;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.KeyRotation;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the operator; the caller owns the process. */
public final class AssayOperator implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AssayOperator.class);

  private static final long FIRST_RETRY_MILLIS = 100;
  private static final long LAST_RETRY_MILLIS = 10_000;

  /** A watch that the API server closes is reconnected within half a minute. */
  private static final Duration INFORMER_GRACE = Duration.ofMinutes(2);

  private static final Duration MAX_CLOSE = Duration.ofSeconds(3);

  private static final Duration LEADER_GRACE = Duration.ofMinutes(1);

  /** The largest response header that a runner may send. */
  private static final String MAX_HEADER_BYTES = "16384";

  private final KubernetesClient client;
  private final OperatorConfig config;
  private final Replica replica;
  private final Consumer<Exception> cannotLead;
  private final OutputStore outputs;
  private final Uploads uploads = new Uploads();
  private final KeyRotation rotation;
  private final NetworkPolicyGuard networkPolicies;
  private final SnapshotCleanup snapshotCleanup;
  private final OutputCleanup outputCleanup;
  private final @Nullable LeaderEndpoint endpoint;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ReconcileThreads reconciles;
  private final RunnerClient runners;
  private final @Nullable LeaderLease lease;
  private final HealthMonitor health;
  private final Operator operator;
  private volatile boolean leaseIsLost;
  private volatile Leadership leadership = Leadership.STANDBY;

  private enum Leadership {
    STANDBY,
    TAKING_UP,
    LEADING
  }

  /**
   * The identity of this replica.
   *
   * @param namespace the operator's own namespace
   * @param podName the name of its Pod, which is unique among replicas
   * @param podIp the address of its Pod
   */
  public record Replica(String namespace, String podName, String podIp) {}

  /** Must be called before any HTTP client is created: the JDK reads the limit once. */
  public static void boundHeadersOfRunners() {
    System.setProperty("jdk.http.maxHeaderSize", MAX_HEADER_BYTES);
  }

  /**
   * Creates an operator that is not started yet.
   *
   * @param client created with the serialization of {@code CacheSerialization}
   * @param cannotLead called when this replica becomes the leader but cannot start to lead
   * @throws IOException where the output store cannot be used
   */
  public AssayOperator(
      KubernetesClient client,
      OperatorConfig config,
      Replica replica,
      Clock clock,
      Consumer<Exception> cannotLead)
      throws IOException {
    this.client = client;
    this.config = config;
    this.replica = replica;
    this.cannotLead = cannotLead;
    SigningKeySecret keySecret = new SigningKeySecret(client, replica.namespace(), clock);
    SigningKeys keys = new SigningKeys(keySecret);
    RunnerPods pods = new RunnerPods(client, clock);
    EventRecorder events = new EventRecorder(client, threads, clock);
    this.runners = new RunnerClient(clock);
    this.reconciles = new ReconcileThreads(clock);
    LeaderElectionConfig election = config.leaderElection();
    this.lease =
        election == null
            ? null
            : new LeaderLease(
                client, election.namespace(), election.leaseName(), replica.podName());
    this.outputs = new FileOutputStore(Path.of(config.outputStore().directory()));
    this.rotation =
        new KeyRotation(
            keySecret,
            keys,
            keyId -> pods.anyWithKey(keyId, config.namespaceNames()),
            Duration.ofDays(config.signingKeyMaxAgeDays()),
            clock);
    this.networkPolicies =
        new NetworkPolicyGuard(
            client,
            config.namespaceNames(),
            replica.namespace(),
            config.operatorPodLabels(),
            events,
            threads);
    this.snapshotCleanup = new SnapshotCleanup(config, client, pods, networkPolicies, clock);
    EndpointConfig served = config.endpoint();
    this.endpoint =
        served == null
            ? null
            : new LeaderEndpoint(
                served, client, replica.namespace(), outputs, uploads, threads, clock);
    AnalyticsRunReconciler runs =
        new AnalyticsRunReconciler(
            config,
            client,
            keys,
            runners,
            pods,
            new RunOutputs(outputs, clock),
            networkPolicies,
            events,
            threads,
            clock);
    this.outputCleanup = runs.outputCleanup();
    // Without leader election this starts to lead at once, and so needs everything above.
    this.operator = new Operator(this::configure);
    this.health =
        new HealthMonitor(
            healthChecks(),
            new ApiProbe(this::apiResponds, () -> ApiClients.newConnectionIsAnswered(client)),
            reconciles.executor(),
            clock);
    operator.register(
        runs,
        controller ->
            controller.settingNamespaces(config.namespaceNames()).withRetry(unlimitedRetry()));
    operator.register(
        new DatasetReconciler(
            config, client, keys, runners, pods, uploads, networkPolicies, events, threads, clock),
        controller ->
            controller.settingNamespaces(config.namespaceNames()).withRetry(unlimitedRetry()));
  }

  /**
   * Starts the operator and returns when its caches are synced.
   *
   * @throws RuntimeException if the operator cannot start; the caller must then exit the process
   */
  public void start() {
    if (lease == null) {
      lead();
    }
    operator.start();
    LOG.info("Serving runs in {}", config.namespaceNames());
  }

  /** Starts the health checks; from then on {@link #isAlive} reports their result. */
  public void monitorHealth() {
    health.start();
  }

  /** Whether the operator makes progress; if not, its process must be restarted. */
  public boolean isAlive() {
    return health.isAlive();
  }

  private List<HealthCheck> healthChecks() {
    return List.of(
        new HealthCheck(
            INFORMER_GRACE, true, () -> InformerHealth.symptoms(operator.getRuntimeInfo())),
        new HealthCheck(INFORMER_GRACE, true, networkPolicies::symptoms),
        new HealthCheck(Duration.ZERO, true, reconciles::stuck),
        new HealthCheck(
            LEADER_GRACE,
            true,
            () ->
                leadership == Leadership.TAKING_UP
                    ? Set.of("this replica holds the Lease but has not started to lead")
                    : Set.of()),
        new HealthCheck(
            LEADER_GRACE,
            true,
            () ->
                leadership == Leadership.LEADING && leaseIsLost
                    ? Set.of("this replica leads without holding the Lease")
                    : Set.of()),
        new HealthCheck(
            Duration.ZERO,
            false,
            () ->
                runners.isTerminated()
                    ? Set.of("the HTTP client for run Pods has terminated")
                    : Set.of()));
  }

  /** The same request as on a new connection, so that an outage fails both. */
  private boolean apiResponds() {
    boolean answered = ApiClients.isAnswered(client);
    if (answered && lease != null) {
      leaseIsLost = !lease.isHeldOrUnknown();
    }
    return answered;
  }

  /** The output store. */
  public OutputStore outputs() {
    return outputs;
  }

  /** The uploads that snapshot Pods wait for. */
  public Uploads uploads() {
    return uploads;
  }

  @Override
  public void close() {
    health.close();
    if (lease == null) {
      operator.stop();
    }
    if (endpoint != null) {
      endpoint.close();
    }
    rotation.close();
    snapshotCleanup.close();
    outputCleanup.close();
    networkPolicies.close();
    endExecutions();
    // With leader election the SDK treats a stop as lost leadership and exits the process.
    if (lease != null) {
      lease.release();
    }
  }

  /** Interrupts all executions: the next leader resumes them, and must be the only one to write. */
  private void endExecutions() {
    threads.shutdownNow();
    runners.close();
    try {
      if (!threads.awaitTermination(MAX_CLOSE.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("Executions did not stop within {} s of shutdown", MAX_CLOSE.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The threads of executions. */
  ExecutorService threads() {
    return threads;
  }

  /**
   * Starts what runs on the leader only; if that fails, the process exits and another replica
   * leads.
   */
  private void lead() {
    leadership = Leadership.TAKING_UP;
    try {
      rotation.start();
      networkPolicies.startRepairing();
      snapshotCleanup.start();
      outputCleanup.start();
      if (endpoint != null) {
        endpoint.serve(replica.podIp());
      }
      leadership = Leadership.LEADING;
    } catch (IOException | RuntimeException e) {
      cannotLead.accept(e);
    }
  }

  private void configure(ConfigurationServiceOverrider overrider) {
    overrider
        .withKubernetesClient(client)
        .withUseSSAToPatchPrimaryResource(false)
        .withSSABasedCreateUpdateMatchForDependentResources(false)
        // Reconciles are short and mostly wait for the API server: virtual threads are cheap.
        .withExecutorService(reconciles.executor());
    LeaderElectionConfig election = config.leaderElection();
    if (election == null) {
      return;
    }
    overrider.withLeaderElectionConfiguration(
        LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(election.leaseName())
            .withLeaseNamespace(election.namespace())
            .withIdentity(replica.podName())
            .withLeaderCallbacks(
                new LeaderCallbacks(
                    this::lead,
                    () -> LOG.info("Lost leadership"),
                    leader -> LOG.info("New leader: {}", leader)))
            .build());
  }

  /** An outage of the API server may be long: a reconcile is retried without limit. */
  private static Retry unlimitedRetry() {
    return new GenericRetry()
        .setInitialInterval(FIRST_RETRY_MILLIS)
        .setIntervalMultiplier(2)
        .setMaxInterval(LAST_RETRY_MILLIS)
        .withoutMaxAttempts();
  }
}
