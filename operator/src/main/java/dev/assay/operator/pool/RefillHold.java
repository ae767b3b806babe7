package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Holds up the start of Pods in a namespace whose pools have given way. Who may create runs there
 * could have Pods started and stopped without end otherwise: with a run that does not fit and is
 * cancelled, again and again. And who has got the room is likely to be followed by others.
 */
final class RefillHold {
  static final Duration FIRST = Duration.ofSeconds(30);
  static final Duration LAST = Duration.ofMinutes(2);

  /** After so long without another one, the next hold is a first one. */
  static final Duration FORGOTTEN = Duration.ofMinutes(10);

  private final Map<String, Hold> holds = new HashMap<>();

  private record Hold(Duration length, Instant end) {
    static Hold of(Duration length, Instant now) {
      return new Hold(length, now.plus(length));
    }

    /** Whether the next hold is a first one. */
    boolean isForgotten(Instant now) {
      return !now.isBefore(end.plus(FORGOTTEN));
    }

    /** The pools give way again: during the hold, that is one occasion. */
    Hold again(Instant now) {
      if (now.isBefore(end)) {
        return of(length, now);
      }
      Duration doubled = length.multipliedBy(2);
      return of(doubled.compareTo(LAST) > 0 ? LAST : doubled, now);
    }
  }

  /** Pods of a namespace leave their pools for those who wait for room. */
  void gaveWay(String namespace, Instant now) {
    holds.values().removeIf(hold -> hold.isForgotten(now));
    holds.merge(namespace, Hold.of(FIRST, now), (known, first) -> known.again(now));
  }

  /** Whether no Pod of a namespace is to be started now. */
  boolean isNeeded(String namespace, Instant now) {
    Hold hold = holds.get(namespace);
    return hold != null && now.isBefore(hold.end());
  }
}
