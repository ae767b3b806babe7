package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When a Pod whose network stays open is replaced, although others of its namespace are closed: one
 * of a pool at a time. The next may come to a node that enforces the policy, or to the same one: so
 * those of a pool that stay open are replaced less and less often.
 */
final class OpenTurns {
  static final Duration FIRST = Duration.ofMinutes(3);

  /** As often as idle Pods are replaced for their age. */
  static final Duration LAST = Duration.ofHours(1);

  /** After so long without another one, the next is a first one. */
  static final Duration FORGOTTEN = Duration.ofHours(1);

  private final Map<PoolKey, Turn> turns = new HashMap<>();

  /**
   * A replacement.
   *
   * @param pause between it and the next
   * @param end of the pause
   */
  private record Turn(Duration pause, Instant end) {
    static Turn of(Duration pause, Instant now) {
      return new Turn(pause, now.plus(pause));
    }

    Turn next(Instant now) {
      Duration doubled = pause.multipliedBy(2);
      return of(doubled.compareTo(LAST) > 0 ? LAST : doubled, now);
    }
  }

  /**
   * Whether a Pod is replaced now; then the next one of its pool is not for a while.
   *
   * @param openSince since when it has been open
   */
  boolean take(PoolKey pool, Instant openSince, Instant now) {
    turns.values().removeIf(turn -> !now.isBefore(turn.end().plus(FORGOTTEN)));
    Turn last = turns.get(pool);
    if (now.isBefore(openSince.plus(FIRST)) || (last != null && now.isBefore(last.end()))) {
      return false;
    }
    turns.put(pool, last == null ? Turn.of(FIRST, now) : last.next(now));
    return true;
  }

  /** Forgets the pools of all classes but these. */
  void retainOnly(Set<String> classNames) {
    turns.keySet().removeIf(pool -> !classNames.contains(pool.className()));
  }
}
