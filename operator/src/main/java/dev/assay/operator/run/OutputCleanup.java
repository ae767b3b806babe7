package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.output.OutputStore;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enforces the limits of the output store, and removes output whose run was deleted. Runs on the
 * leader only.
 *
 * <p>Outputs are listed before runs, so that the output of a run that is created meanwhile is not
 * in the list.
 */
public final class OutputCleanup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutputCleanup.class);
  private static final Duration INTERVAL = Duration.ofSeconds(15);
  private static final Duration PRUNE_INTERVAL = Duration.ofMinutes(1);

  private final KubernetesClient client;
  private final RunResources resources;
  private final OutputStore outputs;
  private final Collection<String> namespaces;
  private final Clock clock;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("output-cleanup").factory());

  /** The namespaces whose last cleanup failed, which is logged once. */
  private final Set<String> failing = new HashSet<>();

  private Instant nextPrune = Instant.MIN;

  OutputCleanup(
      KubernetesClient client,
      RunResources resources,
      OutputStore outputs,
      Collection<String> namespaces,
      Clock clock) {
    this.client = client;
    this.resources = resources;
    this.outputs = outputs;
    this.namespaces = namespaces;
    this.clock = clock;
  }

  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::runOnce, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Cleans up each namespace once. A failure is logged once, and retried at the next cleanup. */
  void runOnce() {
    Instant now = clock.instant();
    boolean prune = !now.isBefore(nextPrune);
    if (prune) {
      nextPrune = now.plus(PRUNE_INTERVAL);
    }
    for (String namespace : namespaces) {
      // Each by itself: where orphans cannot be removed, the limits of the store still apply.
      boolean removed = attempt(namespace, () -> removeOrphans(namespace));
      boolean pruned = !prune || attempt(namespace, () -> outputs.prune(namespace));
      if (removed && pruned) {
        failing.remove(namespace);
      }
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private boolean attempt(String namespace, Step step) {
    try {
      step.run();
      return true;
    } catch (IOException | RuntimeException e) {
      if (failing.add(namespace)) {
        LOG.warn(
            "The cleanup of stored output in namespace {} failed and will be retried: {}",
            namespace,
            e.toString());
      }
      return false;
    }
  }

  private void removeOrphans(String namespace) throws IOException {
    Set<String> orphans = new HashSet<>(outputs.storedRuns(namespace));
    orphans.removeAll(resources.runUids(namespace));
    if (orphans.isEmpty()) {
      return;
    }
    // A cache may be stale; the API server is authoritative.
    Pages.forEach(
        client.resources(AnalyticsRun.class).inNamespace(namespace),
        run -> orphans.remove(run.getMetadata().getUid()));
    for (String uid : orphans) {
      outputs.delete(namespace, uid);
      LOG.debug("Removed the output of deleted run {} in namespace {}", uid, namespace);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
