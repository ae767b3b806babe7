package dev.assay.operator.pool;

import dev.assay.operator.kubernetes.PodQueue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Whether runs and datasets of a namespace need the room that its idle Pods take. */
public final class PoolRoom {
  /** Longer than the interval at which a run without user ids asks again. */
  private static final Duration USER_IDS_PAUSE = Duration.ofSeconds(10);

  private final PodQueue queue;
  private final Clock clock;
  private final Map<String, Instant> withoutUserIds = new ConcurrentHashMap<>();

  /**
   * No namespace needs room yet.
   *
   * @param queue for room in the quotas
   */
  public PoolRoom(PodQueue queue, Clock clock) {
    this.queue = queue;
    this.clock = clock;
  }

  /** A run of a namespace found no free user ids. */
  public void userIdsAreMissing(String namespace) {
    withoutUserIds.put(namespace, clock.instant());
  }

  /** Whether a namespace must have no idle Pods now. */
  boolean isNeeded(String namespace) {
    Instant missing = withoutUserIds.getOrDefault(namespace, Instant.MIN);
    return queue.hasWaiting(namespace) || missing.isAfter(clock.instant().minus(USER_IDS_PAUSE));
  }
}
