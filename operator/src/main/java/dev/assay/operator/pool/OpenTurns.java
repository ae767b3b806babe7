package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When a Pod whose network stays open is replaced, although others of its namespace are closed: one
 * of a pool at a time. The next may come to a node that enforces the policy, or to the same one.
 */
final class OpenTurns {
  static final Duration INTERVAL = Duration.ofMinutes(3);

  private final Map<PoolKey, Instant> latest = new HashMap<>();

  /**
   * Whether a Pod is replaced now; then the next one of its pool is not for a while.
   *
   * @param openSince since when it has been open
   */
  boolean take(PoolKey pool, Instant openSince, Instant now) {
    Instant last = latest.getOrDefault(pool, Instant.MIN);
    Instant oldest = now.minus(INTERVAL);
    if (openSince.isAfter(oldest) || last.isAfter(oldest)) {
      return false;
    }
    latest.put(pool, now);
    return true;
  }

  /** Forgets the pools of all classes but these. */
  void retainOnly(Set<String> classNames) {
    latest.keySet().removeIf(pool -> !classNames.contains(pool.className()));
  }
}
