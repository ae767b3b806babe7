package dev.assay.frontend.watch;

import java.time.Duration;

/** Time since it was started, by a clock that is never set back. */
public final class Stopwatch {
  private final long start = System.nanoTime();

  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** What is left of a time; zero or less when it is over. */
  public Duration left(Duration of) {
    return of.minus(elapsed());
  }
}
