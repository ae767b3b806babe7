package dev.assay.operator;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.health.InformerHealth;
import dev.assay.operator.health.ReconcileThreads;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.kubernetes.ServedNamespaces;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.monitoring.micrometer.MicrometerMetrics;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The controllers of the Java Operator SDK, which the leader starts, and what they watch. */
final class Controllers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Controllers.class);

  /** No reconcile begins meanwhile. */
  private static final Duration RECONCILES_END_WITHIN = Duration.ofSeconds(5);

  private static final long FIRST_RETRY_MILLIS = 100;
  private static final long LAST_RETRY_MILLIS = 10_000;

  private final KubernetesClient client;
  private final ServedNamespaces namespaces;
  private final List<Reconciler<?>> reconcilers;
  private final ReconcileThreads reconciles;
  private final ProgramMetrics metrics;
  private final Consumer<Exception> cannotLead;
  private final Operator operator;

  /** Controllers that are not started yet. */
  Controllers(
      KubernetesClient client,
      ServedNamespaces namespaces,
      List<Reconciler<?>> reconcilers,
      ReconcileThreads reconciles,
      ProgramMetrics metrics,
      Consumer<Exception> cannotLead) {
    this.client = client;
    this.namespaces = namespaces;
    this.reconcilers = List.copyOf(reconcilers);
    this.reconciles = reconciles;
    this.metrics = metrics;
    this.cannotLead = cannotLead;
    this.operator = new Operator(this::configure);
  }

  /** What the operator watches in each run namespace. */
  static List<Class<? extends HasMetadata>> watched(OperatorConfig config) {
    List<Class<? extends HasMetadata>> kinds =
        new ArrayList<>(List.of(AnalyticsRun.class, Dataset.class, Pod.class, NetworkPolicy.class));
    if (config.toolGateway() != null) {
      kinds.add(ToolServer.class);
    }
    return kinds;
  }

  /** Starts them; returns when the caches are filled. */
  void start() {
    // The controllers would not be told of a namespace that is added meanwhile.
    namespaces.withoutChanges(
        () -> {
          registerAll();
          operator.start();
        });
    LOG.info("Serving runs in {}", namespaces.names());
  }

  /**
   * Begins to watch one more namespace; returns when the caches are filled.
   *
   * @throws RuntimeException if it could not, and may be tried again
   */
  void serve(String namespace) {
    if (!operator.getRuntimeInfo().isStarted()) {
      return;
    }
    Set<String> all = new HashSet<>(namespaces.names());
    all.add(namespace);
    try {
      if (!reconciles.whileNoneRuns(RECONCILES_END_WITHIN, () -> change(all))) {
        throw new IllegalStateException(
            "reconciles did not end within " + RECONCILES_END_WITHIN.toSeconds() + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the operator is shutting down", e);
    }
  }

  private void change(Set<String> all) {
    try {
      operator
          .getRuntimeInfo()
          .getRegisteredControllers()
          .forEach(controller -> controller.changeNamespaces(all));
    } catch (RuntimeException e) {
      // A controller that was stopped for the change stays stopped, for all namespaces.
      cannotLead.accept(e);
      throw e;
    }
  }

  /** Which of their informers do not watch. */
  Set<String> symptoms() {
    return InformerHealth.symptoms(operator.getRuntimeInfo(), namespaces::mayNotWatch);
  }

  @Override
  public void close() {
    if (operator.getRuntimeInfo().isStarted()) {
      operator.stop();
    }
  }

  /** What the SDK is told of each controller. */
  @SuppressWarnings("rawtypes") // The SDK's own.
  List<ControllerConfiguration<?>> configurations() {
    registerAll();
    List<ControllerConfiguration<?>> configurations = new ArrayList<>();
    for (var controller : operator.getRuntimeInfo().getRegisteredControllers()) {
      configurations.add(controller.getConfiguration());
    }
    return configurations;
  }

  private void registerAll() {
    reconcilers.forEach(this::register);
  }

  private <T extends HasMetadata> void register(Reconciler<T> reconciler) {
    operator.register(
        reconciler,
        controller ->
            controller
                .settingNamespaces(Set.copyOf(namespaces.names()))
                .withInformerListLimit(Pages.SIZE)
                .withRetry(unlimitedRetry())
                // Its timer would keep a task of each reconcile, also of a removed object, for
                // that long: 10 hours by default.
                .withReconciliationMaxInterval(null));
  }

  private void configure(ConfigurationServiceOverrider overrider) {
    overrider
        .withKubernetesClient(client)
        .withMetrics(MicrometerMetrics.withoutPerResourceMetrics(metrics.registry()))
        // A leader releases its Lease with it, when all else has ended.
        .withCloseClientOnStop(false)
        .withUseSSAToPatchPrimaryResource(false)
        .withSSABasedCreateUpdateMatchForDependentResources(false)
        // Reconciles are short and mostly wait for the API server: virtual threads are cheap.
        .withExecutorService(reconciles.executor());
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
