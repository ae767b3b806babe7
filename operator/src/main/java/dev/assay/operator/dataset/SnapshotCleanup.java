package dev.assay.operator.dataset;

import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Has snapshots that are not in use removed in each run namespace. Runs on the leader only. */
public final class SnapshotCleanup implements AutoCloseable {
  /** Between looks at whether a Pod has ended, or another is due. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final boolean wanted;
  private final List<NamespaceCleanup> namespaces;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("snapshot-cleanup").factory());

  /** A cleanup that has not begun. */
  public SnapshotCleanup(
      OperatorConfig config,
      KubernetesClient client,
      RunnerPods pods,
      NetworkPolicies networkPolicies,
      Clock clock) {
    this.wanted = config.snapshotCleanup().everySeconds() > 0;
    this.namespaces =
        config.namespaces().stream()
            .map(
                namespace ->
                    new NamespaceCleanup(
                        namespace, config.snapshotCleanup(), client, pods, networkPolicies, clock))
            .toList();
  }

  /** Begins, unless it is turned off. */
  public void start() {
    if (wanted) {
      var unused =
          timer.scheduleWithFixedDelay(
              () -> namespaces.forEach(NamespaceCleanup::lookQuietly),
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
