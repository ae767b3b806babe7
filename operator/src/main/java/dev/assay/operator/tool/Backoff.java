package dev.assay.operator.tool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Pauses between the attempts of something, which get longer. */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(20);
  private static final Duration LAST = Duration.ofSeconds(1);

  private final Clock clock;
  private final Instant end;
  private Duration pause = FIRST;

  /**
   * Begins with a short pause.
   *
   * @param end when to give up
   */
  Backoff(Clock clock, Instant end) {
    this.clock = clock;
    this.end = end;
  }

  /**
   * Waits before the next attempt.
   *
   * @return false at once if there is to be none
   */
  boolean pause() throws InterruptedException {
    if (!clock.instant().isBefore(end)) {
      return false;
    }
    Thread.sleep(pause);
    pause = pause.multipliedBy(2).compareTo(LAST) > 0 ? LAST : pause.multipliedBy(2);
    return true;
  }
}
