package dev.assay.operator;

import dev.assay.operator.config.ConfigReader;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.dataset.DatasetReconciler;
import dev.assay.operator.endpoint.HealthEndpoint;
import dev.assay.operator.endpoint.InternalEndpoint;
import dev.assay.operator.endpoint.LeaderAddress;
import dev.assay.operator.endpoint.ServerCertificate;
import dev.assay.operator.kubernetes.CacheSerialization;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.LeaderLease;
import dev.assay.operator.kubernetes.NetworkPolicyGuard;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.FileOutputStore;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.run.AnalyticsRunReconciler;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.KeyRotation;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the operator together and runs it until it is told to end. */
public final class Main {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);

  private static final long FIRST_RETRY_MILLIS = 100;
  private static final long LAST_RETRY_MILLIS = 10_000;

  private Main() {}

  public static void main(String[] args) throws IOException {
    // What a runner may make the client hold in headers.
    System.setProperty("jdk.http.maxHeaderSize", "16384");
    Environment environment = Environment.read();
    OperatorConfig config = configOrExit(environment.configFile());
    Clock clock = Clock.systemUTC();
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder().withMaxConcurrentRequestsPerHost(256).build())
            .withKubernetesSerialization(CacheSerialization.create())
            .build();
    var keySecret = new SigningKeySecret(client, environment.namespace(), clock);
    SigningKeys keys = new SigningKeys(keySecret);
    RunnerPods pods = new RunnerPods(client, clock);
    KeyRotation rotation =
        new KeyRotation(
            keySecret,
            keys,
            keyId -> pods.anyMadeWith(keyId, config.namespaceNames()),
            Duration.ofDays(config.signingKeyMaxAgeDays()),
            clock);
    EventRecorder events = new EventRecorder(client, threads, clock);
    OutputStore outputs = new FileOutputStore(config.outputStore());
    RunnerClient runners = new RunnerClient(clock);
    NetworkPolicyGuard networkPolicies =
        new NetworkPolicyGuard(
            client,
            config.namespaceNames(),
            environment.namespace(),
            config.operatorPodLabels(),
            threads);
    var tls =
        new ServerCertificate(
                client, environment.namespace(), config.endpoint().serviceName(), clock)
            .readOrCreate();
    InternalEndpoint internal =
        new InternalEndpoint(config.endpoint(), tls, client, outputs, threads, clock);
    LeaderAddress leaderAddress =
        new LeaderAddress(client, environment.namespace(), config.endpoint());

    AtomicBoolean ready = new AtomicBoolean();
    HealthEndpoint health = new HealthEndpoint(ready::get);
    Operator operator =
        new Operator(
            overrider ->
                configure(
                    overrider,
                    client,
                    config,
                    environment,
                    () -> {
                      rotation.start();
                      networkPolicies.keep();
                      internal.start();
                      leaderAddress.publish(environment.podIp());
                    }));
    operator.register(
        new AnalyticsRunReconciler(
            config, client, keys, runners, pods, outputs, networkPolicies, events, threads, clock),
        controller -> controller.settingNamespaces(config.namespaceNames()).withRetry(forEver()));
    operator.register(
        new DatasetReconciler(
            config, client, keys, runners, pods, networkPolicies, events, threads, clock),
        controller -> controller.settingNamespaces(config.namespaceNames()).withRetry(forEver()));
    operator.installShutdownHook(Duration.ofSeconds(2));
    operator.start();
    ready.set(true);
    LOG.info("Serving runs in {}", config.namespaceNames());
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  health.close();
                  internal.close();
                  rotation.close();
                  networkPolicies.close();
                  releaseLease(client, config, environment);
                }));
  }

  /** What a replica does when it begins to lead. */
  @FunctionalInterface
  private interface Lead {
    void begin() throws IOException;
  }

  /** A leader that cannot do its duties is none: another one shall try. */
  private static void lead(Lead duties) {
    try {
      duties.begin();
    } catch (IOException | RuntimeException e) {
      LOG.error("This replica cannot lead: {}", e.toString());
      System.exit(1);
    }
  }

  private static void releaseLease(
      KubernetesClient client, OperatorConfig config, Environment environment) {
    OperatorConfig.LeaderElectionConfig election = config.leaderElection();
    if (election != null) {
      new LeaderLease(client, election.namespace(), election.leaseName(), environment.podName())
          .release();
    }
  }

  private static void configure(
      ConfigurationServiceOverrider overrider,
      KubernetesClient client,
      OperatorConfig config,
      Environment environment,
      Lead duties) {
    Runnable startLeading = () -> lead(duties);
    overrider
        .withKubernetesClient(client)
        .withUseSSAToPatchPrimaryResource(false)
        .withSSABasedCreateUpdateMatchForDependentResources(false)
        // Reconciling is short and waits for the API server: threads that cost nothing.
        .withExecutorService(Executors.newVirtualThreadPerTaskExecutor());
    OperatorConfig.LeaderElectionConfig election = config.leaderElection();
    if (election == null) {
      startLeading.run();
      return;
    }
    overrider.withLeaderElectionConfiguration(
        LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(election.leaseName())
            .withLeaseNamespace(election.namespace())
            .withIdentity(environment.podName())
            .withLeaderCallbacks(
                new LeaderCallbacks(
                    startLeading,
                    () -> LOG.info("This replica leads no more"),
                    leader -> LOG.info("{} leads", leader)))
            .build());
  }

  /** An outage of the API server may last: reconciling is never given up. */
  private static Retry forEver() {
    return new GenericRetry()
        .setInitialInterval(FIRST_RETRY_MILLIS)
        .setIntervalMultiplier(2)
        .setMaxInterval(LAST_RETRY_MILLIS)
        .withoutMaxAttempts();
  }

  private static OperatorConfig configOrExit(Path file) {
    try {
      return ConfigReader.read(file);
    } catch (ConfigReader.InvalidConfigException e) {
      LOG.error("The operator cannot start: {}", e.getMessage());
      System.exit(2);
      throw e;
    }
  }

  /**
   * Where this replica runs, by the downward API.
   *
   * @param configFile the configuration
   * @param namespace the operator's own namespace
   * @param podName this replica
   * @param podIp its address
   */
  private record Environment(Path configFile, String namespace, String podName, String podIp) {
    static Environment read() {
      return new Environment(
          Path.of(value("ASSAY_CONFIG", "/etc/assay/operator.yaml")),
          value("POD_NAMESPACE", "assay-system"),
          value("POD_NAME", "assay-operator"),
          value("POD_IP", "127.0.0.1"));
    }

    private static String value(String name, String otherwise) {
      String value = System.getenv(name);
      return value == null || value.isEmpty() ? otherwise : value;
    }
  }
}
