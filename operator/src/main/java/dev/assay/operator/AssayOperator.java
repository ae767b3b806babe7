package dev.assay.operator;

import dev.assay.api.authentication.CallerReview;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.dataset.Datasets;
import dev.assay.operator.dataset.SnapshotCleanup;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.endpoint.InternalEndpoint;
import dev.assay.operator.endpoint.LeaderAddress;
import dev.assay.operator.endpoint.LeaderEndpoint;
import dev.assay.operator.endpoint.ServerCertificate;
import dev.assay.operator.health.HealthMonitor;
import dev.assay.operator.health.ReconcileThreads;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicyGuard;
import dev.assay.operator.kubernetes.NewerObjects;
import dev.assay.operator.kubernetes.NodeWatch;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.output.FileOutputStore;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pool.PoolKeeper;
import dev.assay.operator.run.RunPath;
import dev.assay.operator.run.cleanup.OutputCleanup;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.KeyRotation;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.ToolCalls;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.Security;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the operator; the caller owns the process. */
public final class AssayOperator implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AssayOperator.class);

  /** The largest response header that a runner may send. */
  private static final String MAX_HEADER_BYTES = "16384";

  /** How long the JDK caches a DNS lookup, also one that failed. */
  private static final String DNS_CACHE_SECONDS = "1";

  private final ServedNamespaces namespaces;
  private final OutputStore outputs;
  private final Uploads uploads = new Uploads();
  private final KeyRotation rotation;
  private final NetworkPolicyGuard networkPolicies;
  private final EgressTarget egressTarget;
  private final @Nullable NodeWatch nodeWatch;
  private final RunPath runs;
  private final Datasets datasets;
  private final SnapshotCleanup snapshotCleanup;
  private final OutputCleanup outputCleanup;
  private final PoolKeeper pools;
  private final ToolCalls tools;
  private final @Nullable LeaderEndpoint endpoint;
  private final Executions executions;
  private final Controllers controllers;
  private final Leadership leadership;
  private final HealthMonitor health;

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
   * Must be called before the first DNS lookup: the JDK reads the limits once. Its defaults, 30 s
   * and 10 s for a failed lookup, would hide new replicas of the tool gateway for that long.
   */
  public static void limitDnsCache() {
    Security.setProperty("networkaddress.cache.ttl", DNS_CACHE_SECONDS);
    Security.setProperty("networkaddress.cache.negative.ttl", DNS_CACHE_SECONDS);
  }

  /**
   * Creates an operator that is not started yet.
   *
   * @param client created with the serialization of {@code CacheSerialization}
   * @param metrics of the process, also of the client
   * @param cannotLead called when this replica becomes the leader but cannot start to lead
   * @throws IOException where the output store cannot be used
   */
  public AssayOperator(
      KubernetesClient client,
      OperatorConfig config,
      Replica replica,
      Clock clock,
      ProgramMetrics metrics,
      Consumer<Exception> cannotLead)
      throws IOException {
    this.executions = new Executions(new RunnerClient(clock));
    ExecutorService threads = executions.threads();
    this.namespaces =
        new ServedNamespaces(client, config.namespaces(), Controllers.watched(config));
    SigningKeySecret keySecret = new SigningKeySecret(client, replica.namespace(), clock);
    SigningKeys keys = new SigningKeys(keySecret);
    RunnerPods pods = new RunnerPods(client, clock);
    EventRecorder events = new EventRecorder(client, threads, clock);
    ReconcileThreads reconciles = new ReconcileThreads(clock);
    this.outputs = new FileOutputStore(Path.of(config.outputStore().directory()));
    this.rotation =
        new KeyRotation(
            keySecret,
            keys,
            keyId -> pods.anyWithKey(keyId, namespaces.names()),
            Duration.ofDays(config.signingKeyMaxAgeDays()),
            clock);
    this.networkPolicies =
        new NetworkPolicyGuard(
            client, replica.namespace(), config.operatorPodLabels(), events, threads);
    this.egressTarget = new EgressTarget(config.egressCheck());
    this.nodeWatch = config.warmPools().watchNodes() ? new NodeWatch(client) : null;
    this.snapshotCleanup =
        new SnapshotCleanup(config, namespaces, client, pods, networkPolicies, clock);
    EndpointConfig served = config.endpoint();
    this.endpoint =
        served == null
            ? null
            : new LeaderEndpoint(
                new InternalEndpoint(
                    served.port(),
                    new ServerCertificate(client, replica.namespace(), served.serviceName(), clock)
                        .readOrCreate(),
                    new CallerReview(
                        client, served.audience(), served.allowedServiceAccounts(), clock),
                    outputs,
                    uploads,
                    threads),
                new LeaderAddress(client, replica.namespace(), served));
    this.datasets =
        new Datasets(
            config,
            client,
            keys,
            executions.runners(),
            pods,
            uploads,
            networkPolicies,
            events,
            metrics,
            threads,
            clock);
    RunOutputs stored = new RunOutputs(outputs, clock);
    this.tools =
        new ToolCalls(
            config.toolGateway(),
            client,
            executions.runners(),
            stored,
            events,
            metrics,
            threads,
            clock);
    this.runs =
        new RunPath(
            config,
            namespaces,
            client,
            keys,
            egressTarget,
            executions.runners(),
            pods,
            stored,
            tools,
            networkPolicies,
            nodeWatch == null ? Nodes.UNKNOWN : nodeWatch,
            events,
            datasets::snapshotPods,
            metrics,
            threads,
            clock);
    this.outputCleanup = runs.outputCleanup();
    this.pools = runs.pools();
    networkPolicies.onChange(pools::networkPoliciesChanged);
    this.controllers =
        new Controllers(
            client,
            namespaces,
            reconcilers(runs, datasets, tools),
            reconciles,
            metrics,
            cannotLead);
    this.leadership =
        new Leadership(
            client,
            config.leaderElection(),
            replica.podName(),
            leaderTasks(replica.podIp()),
            cannotLead);
    this.health =
        OperatorHealth.monitor(
            client,
            controllers,
            namespaces,
            networkPolicies,
            reconciles,
            executions.runners(),
            leadership,
            pools,
            clock);
    runs.bindTo(metrics, leadership::leads);
    datasets.bindTo(metrics, leadership::leads);
    NewerObjects.bindTo(metrics);
    OperatorGauges.bind(metrics, config, namespaces, leadership, stored, pools);
  }

  /**
   * Starts the operator. The only replica serves runs when this returns. One of several watches
   * nothing that changes with runs until it is elected.
   *
   * @throws RuntimeException if the operator cannot start; the caller must then exit the process
   */
  public void start() {
    egressTarget.start();
    tools.start();
    // A standby must find a missing CRD or permission now, not when it has to lead.
    namespaces.start(
        namespace -> {
          networkPolicies.watch(namespace);
          controllers.serve(namespace);
        });
    if (nodeWatch == null) {
      LOG.info("Nodes are not watched: idle Pods on a cordoned node stay until it is drained");
    }
    try {
      leadership.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts the health checks; from then on {@link #isAlive} reports their result. */
  public void monitorHealth() {
    health.start();
  }

  /** Whether the operator makes progress; if not, its process must be restarted. */
  public boolean isAlive() {
    return health.isAlive();
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
    namespaces.close();
    // First what reads the caches: they are empty once the SDK has stopped, so that each run would
    // seem to have lost its Pod, and each pool its Pods.
    snapshotCleanup.close();
    outputCleanup.close();
    pools.close();
    executions.close();
    controllers.close();
    if (endpoint != null) {
      endpoint.close();
    }
    rotation.close();
    networkPolicies.close();
    egressTarget.close();
    tools.close();
    if (nodeWatch != null) {
      nodeWatch.close();
    }
    leadership.close();
  }

  private static List<Reconciler<?>> reconcilers(RunPath runs, Datasets datasets, ToolCalls tools) {
    List<Reconciler<?>> reconcilers = new ArrayList<>();
    reconcilers.add(runs.reconciler());
    reconcilers.add(datasets.reconciler());
    tools.servers().ifPresent(reconcilers::add);
    return reconcilers;
  }

  /** The controllers. */
  Controllers controllers() {
    return controllers;
  }

  /** The threads of executions. */
  ExecutorService threads() {
    return executions.threads();
  }

  private List<Leadership.Task> leaderTasks(String address) {
    return List.of(
        rotation::start,
        networkPolicies::startRepairing,
        controllers::start,
        // What is not in a cache yet would be missing, and be removed or replaced.
        snapshotCleanup::start,
        outputCleanup::start,
        pools::start,
        () -> {
          if (endpoint != null) {
            endpoint.serve(address);
          }
        });
  }
}
