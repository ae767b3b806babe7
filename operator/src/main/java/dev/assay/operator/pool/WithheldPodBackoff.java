package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When a Pod is replaced that stays withheld, although the network of others of its namespace is
 * closed: one of a pool at a time. The next may come to a node that enforces the policy, or to the
 * same one: so those of a pool that stay withheld are replaced with an exponential backoff.
 */
final class WithheldPodBackoff {
  static final Duration FIRST = Duration.ofMinutes(3);

  /** As often as idle Pods are replaced for their age. */
  static final Duration LAST = Duration.ofHours(1);

  /** After so long without another one, the next is a first one. */
  static final Duration FORGOTTEN = Duration.ofHours(1);

  private final Map<PoolKey, Replacement> latest = new HashMap<>();

  /**
   * A replacement.
   *
   * @param pause between it and the next
   * @param end of the pause
   */
  private record Replacement(Duration pause, Instant end) {
    static Replacement of(Duration pause, Instant now) {
      return new Replacement(pause, now.plus(pause));
    }

    Replacement next(Instant now) {
      Duration doubled = pause.multipliedBy(2);
      return of(doubled.compareTo(LAST) > 0 ? LAST : doubled, now);
    }
  }

  /**
   * Whether a Pod is replaced now; then the next one of its pool is not for a while.
   *
   * @param withheldSince since when it has been withheld
   */
  boolean take(PoolKey pool, Instant withheldSince, Instant now) {
    latest.values().removeIf(one -> !now.isBefore(one.end().plus(FORGOTTEN)));
    Replacement last = latest.get(pool);
    if (now.isBefore(withheldSince.plus(FIRST)) || (last != null && now.isBefore(last.end()))) {
      return false;
    }
    latest.put(pool, last == null ? Replacement.of(FIRST, now) : last.next(now));
    return true;
  }

  /** Forgets the pools of all classes but these. */
  void retainOnly(Set<String> classNames) {
    latest.keySet().removeIf(pool -> !classNames.contains(pool.className()));
  }
}
