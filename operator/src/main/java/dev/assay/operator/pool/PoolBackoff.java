package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;

/** Pauses, each twice as long as the one before. Not thread-safe. */
final class PoolBackoff {
  private final Duration first;
  private final Duration longest;
  private final Duration forgottenAfter;

  /** How many pauses there were in a row; 0 once the next is a first one. */
  private int number;

  /** Of the latest pause. */
  private Instant end = Instant.MIN;

  /**
   * No pause yet.
   *
   * @param forgottenAfter how long after the end of a pause the next is a first one again
   */
  PoolBackoff(Duration first, Duration longest, Duration forgottenAfter) {
    this.first = first;
    this.longest = longest;
    this.forgottenAfter = forgottenAfter;
  }

  boolean isPaused(Instant now) {
    return now.isBefore(end);
  }

  /**
   * Begins a pause. During one, this is the same occasion: it begins anew, as long as it was.
   *
   * @return its length
   */
  Duration begin(Instant now) {
    if (!now.minus(forgottenAfter).isBefore(end)) {
      number = 0;
    }
    number = Math.max(1, isPaused(now) ? number : number + 1);
    Duration length = first;
    for (int earlier = 1; earlier < number && length.compareTo(longest) < 0; earlier++) {
      length = length.multipliedBy(2);
    }
    length = length.compareTo(longest) > 0 ? longest : length;
    end = now.plus(length).isBefore(end) ? end : now.plus(length);
    return length;
  }

  /** The pause goes on to its end, and the next is a first one. */
  void succeeded() {
    number = 0;
  }
}
