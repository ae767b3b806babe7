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
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  private final Clock clock;
  private final KeyedBackoff<PoolKey> failures =
      new KeyedBackoff<>(FIRST_BACKOFF, LAST_BACKOFF, FORGOTTEN);
  private final Map<PoolKey, Instant> rejectedUntil = new HashMap<>();

  /** As they were logged. */
  private final Map<PoolKey, String> causes = new HashMap<>();

  PoolPauses(Clock clock) {
    this.clock = clock;
  }

  /** Whether a pool must not start a Pod now. */
  synchronized boolean isPaused(PoolKey pool) {
    Instant now = clock.instant();
    return now.isBefore(rejectedUntil.getOrDefault(pool, Instant.MIN))
        || failures.isPaused(pool, now);
  }

  /** A Pod of the pool could not be created. */
  synchronized void rejected(PoolKey pool, String cause) {
    rejectedUntil.put(pool, clock.instant().plus(AFTER_REJECTION));
    log(pool, AFTER_REJECTION, cause);
  }

  /** A Pod failed before it was given to a run. Several that fail together count as one. */
  synchronized void failed(PoolKey pool, String cause) {
    Instant now = clock.instant();
    if (!failures.isPaused(pool, now)) {
      log(pool, failures.begin(pool, now), cause);
    }
  }

  /** A Pod of the pool has become idle: the next failure is a first one. */
  synchronized void succeeded(PoolKey pool) {
    failures.succeeded(pool);
    causes.remove(pool);
  }

  /** Forgets the pools of all classes but these. */
  synchronized void retainOnly(Set<String> classNames) {
    failures.retainIf(pool -> classNames.contains(pool.className()));
    rejectedUntil.keySet().removeIf(pool -> !classNames.contains(pool.className()));
    causes.keySet().removeIf(pool -> !classNames.contains(pool.className()));
  }

  /** A cause that stays the same is logged once. */
  private void log(PoolKey pool, Duration length, String cause) {
    if (!cause.equals(causes.put(pool, cause))) {
      LOG.info(
          "No Pod is started for the warm pool of class {} in {} for {} s: {}",
          pool.className(),
          pool.namespace(),
          length.toSeconds(),
          cause);
    }
  }
}
