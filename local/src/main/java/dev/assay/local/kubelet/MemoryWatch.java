package dev.assay.local.kubelet;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every tenth of a second at how much memory containers use, where no cgroup limits it. A
 * container that asks for more within less time than that gets it: this guards against mistakes,
 * not against attacks.
 */
final class MemoryWatch {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
  private static final long PERIOD_MS = 100;

  private final ScheduledExecutorService timer;
  private final Map<Long, Limit> limits = new ConcurrentHashMap<>();

  private record Limit(long bytes, Runnable exceeded) {}

  MemoryWatch(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** Begins to look; the timer's end ends it. */
  void start() {
    ScheduledFuture<?> unused =
        timer.scheduleWithFixedDelay(this::look, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * Watches a container.
   *
   * @param ancestor the process that all of the container's are descendants of
   * @param exceeded called once, on the timer's thread, when they use more
   */
  void watch(long ancestor, long bytes, Runnable exceeded) {
    limits.put(ancestor, new Limit(bytes, exceeded));
  }

  void forget(long ancestor) {
    limits.remove(ancestor);
  }

  private void look() {
    if (limits.isEmpty()) {
      return;
    }
    try {
      ProcessTable processes = ProcessTable.read();
      limits.forEach((ancestor, limit) -> check(processes, ancestor, limit));
    } catch (IOException | RuntimeException e) {
      LOG.warn("The memory of containers is not known: {}", e.toString());
    }
  }

  private void check(ProcessTable processes, long ancestor, Limit limit) {
    long used =
        processes.descendants(ancestor).stream().mapToLong(ProcessTable::residentBytes).sum();
    if (used > limit.bytes() && limits.remove(ancestor, limit)) {
      limit.exceeded().run();
    }
  }
}
