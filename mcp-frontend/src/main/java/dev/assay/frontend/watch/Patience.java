package dev.assay.frontend.watch;

import java.time.Duration;

/** How long a caller waits, from now on. */
public final class Patience {
  /** Longer than anything lasts. */
  private static final Duration ENDLESS = Duration.ofDays(365);

  private final Duration duration;
  private final Stopwatch since = new Stopwatch();

  private Patience(Duration duration) {
    this.duration = duration;
  }

  /** To the end, whenever that is. */
  public static Patience endless() {
    return new Patience(ENDLESS);
  }

  /** For some time. */
  public static Patience of(Duration duration) {
    return new Patience(duration);
  }

  /** All of it. */
  public Duration duration() {
    return duration;
  }

  /** What is left of it, and of a time of the callee's; zero or less when one is over. */
  public Duration left(Duration of) {
    Duration left = since.left(duration);
    return left.compareTo(of) < 0 ? left : of;
  }

  public boolean isOver() {
    return !since.left(duration).isPositive();
  }
}
