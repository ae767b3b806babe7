package dev.assay.operator.dataset;

import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.ServedNamespaces;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Removes unused snapshots in each run namespace. Runs on the leader only. */
public final class SnapshotCleanup implements AutoCloseable {
  /** The interval of checks whether a Pod has terminated, or another is due. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final boolean wanted;
  private final ServedNamespaces served;
  private final List<NamespaceCleanup> namespaces;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("snapshot-cleanup").factory());

  /** Creates a cleanup that is not started yet. */
  public SnapshotCleanup(
      OperatorConfig config,
      ServedNamespaces served,
      KubernetesClient client,
      RunnerPods pods,
      NetworkPolicies networkPolicies,
      Clock clock) {
    this.wanted = config.snapshotCleanup().everySeconds() > 0;
    this.served = served;
    this.namespaces =
        config.namespaces().stream()
            .map(
                namespace ->
                    new NamespaceCleanup(
                        namespace, config.snapshotCleanup(), client, pods, networkPolicies, clock))
            .toList();
  }

  /** Starts the cleanup, unless it is disabled. */
  public void start() {
    if (wanted) {
      var unused =
          timer.scheduleWithFixedDelay(
              () ->
                  namespaces.stream()
                      .filter(cleanup -> served.names().contains(cleanup.namespace()))
                      .forEach(NamespaceCleanup::runQuietly),
              0,
              INTERVAL.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
