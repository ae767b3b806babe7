package dev.assay.operator.run.cleanup;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enforces the limits of runs and of the output store, and removes output whose run was deleted and
 * definitions of tools whose server was, step by step. Runs on the leader only.
 */
public final class OutputCleanup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutputCleanup.class);
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private final Collection<String> namespaces;
  private final List<Step> steps;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("output-cleanup").factory());

  /** The namespaces whose last cleanup failed, which is logged once. */
  private final Set<String> failing = new HashSet<>();

  /** One of the things that are done for each namespace. */
  @FunctionalInterface
  public interface Step {
    void clean(String namespace) throws IOException;
  }

  /**
   * A cleanup that is not started yet.
   *
   * @param namespaces those that are served
   * @param steps in this order; each is done whatever becomes of the others
   */
  public OutputCleanup(Collection<String> namespaces, List<Step> steps) {
    this.namespaces = namespaces;
    this.steps = List.copyOf(steps);
  }

  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::runOnce, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Cleans up each namespace once. A failure is logged once, and retried at the next cleanup. */
  void runOnce() {
    for (String namespace : namespaces) {
      boolean clean = true;
      for (Step step : steps) {
        // Each by itself: where orphans cannot be removed, the limits of the store still apply.
        clean &= attempt(namespace, step);
      }
      if (clean) {
        failing.remove(namespace);
      }
    }
  }

  private boolean attempt(String namespace, Step step) {
    try {
      step.clean(namespace);
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

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
