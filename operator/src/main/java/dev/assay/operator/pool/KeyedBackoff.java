package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Pauses, by what they are for, each twice as long as the one before. Not thread-safe.
 *
 * @param <K> what pauses
 */
final class KeyedBackoff<K> {
  private final Duration first;
  private final Duration longest;
  private final Duration forgottenAfter;
  private final Map<K, Pause> latest = new HashMap<>();

  /**
   * The latest pause.
   *
   * @param number how many there were in a row; 0 once the next is a first one
   */
  private record Pause(int number, Instant end) {
    static final Pause NONE = new Pause(0, Instant.MIN);
  }

  /**
   * Nothing pauses yet.
   *
   * @param forgottenAfter how long after the end of a pause the next is a first one again
   */
  KeyedBackoff(Duration first, Duration longest, Duration forgottenAfter) {
    this.first = first;
    this.longest = longest;
    this.forgottenAfter = forgottenAfter;
  }

  boolean isPaused(K what, Instant now) {
    Pause pause = latest.get(what);
    return pause != null && now.isBefore(pause.end());
  }

  /**
   * Begins a pause. During one, this is the same occasion: it begins anew, as long as it was.
   *
   * @return its length
   */
  Duration begin(K what, Instant now) {
    latest.values().removeIf(pause -> !now.isBefore(pause.end().plus(forgottenAfter)));
    Pause last = latest.getOrDefault(what, Pause.NONE);
    int number = Math.max(1, now.isBefore(last.end()) ? last.number() : last.number() + 1);
    Duration length = length(number);
    Instant end = now.plus(length);
    latest.put(what, new Pause(number, end.isBefore(last.end()) ? last.end() : end));
    return length;
  }

  private Duration length(int number) {
    Duration length = first;
    for (int earlier = 1; earlier < number && length.compareTo(longest) < 0; earlier++) {
      length = length.multipliedBy(2);
    }
    return length.compareTo(longest) > 0 ? longest : length;
  }

  /** The pause goes on to its end, and the next is a first one. */
  void succeeded(K what) {
    latest.computeIfPresent(what, (key, pause) -> new Pause(0, pause.end()));
  }

  /** Forgets all others. */
  void retainIf(Predicate<K> isKept) {
    latest.keySet().removeIf(isKept.negate());
  }
}
