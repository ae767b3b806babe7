package dev.assay.operator.pool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pools that start no Pods for a while, because a Pod was rejected or has failed. */
final class PoolPauses {
  private static final Logger LOG = LoggerFactory.getLogger(PoolPauses.class);
  private static final Duration AFTER_REJECTION = Duration.ofSeconds(10);
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(5);
  private static final Duration LAST_BACKOFF = Duration.ofMinutes(2);
  private static final int BACKOFF_FACTOR = 3;

  private final Clock clock;
  private final Map<PoolKey, Pause> pauses = new HashMap<>();

  /**
   * The latest pause of a pool.
   *
   * @param backoff the length of the next one after a failure
   * @param cause as it was logged
   */
  private record Pause(Instant until, Duration backoff, String cause) {
    static final Pause NONE = new Pause(Instant.MIN, FIRST_BACKOFF, "");
  }

  PoolPauses(Clock clock) {
    this.clock = clock;
  }

  /** Whether a pool must not start a Pod now. */
  synchronized boolean isPaused(PoolKey pool) {
    return clock.instant().isBefore(pause(pool).until());
  }

  /** A Pod of the pool could not be created. */
  synchronized void rejected(PoolKey pool, String cause) {
    begin(pool, AFTER_REJECTION, pause(pool).backoff(), cause);
  }

  /** A Pod failed before it was given to a run. Several that fail together count as one. */
  synchronized void failed(PoolKey pool, String cause) {
    if (isPaused(pool)) {
      return;
    }
    Duration backoff = pause(pool).backoff();
    Duration next = backoff.multipliedBy(BACKOFF_FACTOR);
    begin(pool, backoff, next.compareTo(LAST_BACKOFF) > 0 ? LAST_BACKOFF : next, cause);
  }

  /** A Pod of the pool has become idle: the next failure is a first one. */
  synchronized void succeeded(PoolKey pool) {
    pauses.computeIfPresent(pool, (key, pause) -> new Pause(pause.until(), FIRST_BACKOFF, ""));
  }

  /** Forgets the pools of all classes but these. */
  synchronized void retainOnly(Set<String> classNames) {
    pauses.keySet().removeIf(pool -> !classNames.contains(pool.className()));
  }

  private Pause pause(PoolKey pool) {
    return pauses.getOrDefault(pool, Pause.NONE);
  }

  /** A cause that stays the same is logged once. */
  private void begin(PoolKey pool, Duration length, Duration nextBackoff, String cause) {
    if (!cause.equals(pause(pool).cause())) {
      LOG.info(
          "No Pod is started for the warm pool of class {} in {} for {} s: {}",
          pool.className(),
          pool.namespace(),
          length.toSeconds(),
          cause);
    }
    pauses.put(pool, new Pause(clock.instant().plus(length), nextBackoff, cause));
  }
}
