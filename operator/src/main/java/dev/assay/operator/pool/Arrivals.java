package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;

/**
 * What is remembered of the calls of a pool: sums that decay, so that its size does not depend on
 * the number of calls.
 *
 * @param last when the last call came
 * @param recent the number of calls, those of a minute ago counting e times less
 * @param burst the number of calls within about one start of a Pod
 * @param peak the highest {@code burst}, decaying within some ten minutes
 */
record Arrivals(Instant last, double recent, double burst, double peak) {
  /** No calls yet. */
  static final Arrivals NONE = new Arrivals(Instant.MIN, 0, 0, 0);

  /** Short enough to follow a change of load, and long enough to see more than a few calls. */
  private static final Duration RATE_MEMORY = Duration.ofMinutes(1);

  /** An agent that called several times at once most likely does so again within minutes. */
  private static final Duration PEAK_MEMORY = Duration.ofMinutes(10);

  /**
   * Adds a call.
   *
   * @param startTime how long a Pod of the pool takes to start; more than zero
   */
  Arrivals with(Instant now, Duration startTime) {
    double nextBurst = 1 + burst * decay(now, startTime);
    return new Arrivals(
        now.isBefore(last) ? last : now,
        1 + recent * decay(now, RATE_MEMORY),
        nextBurst,
        Math.max(nextBurst, peak(now)));
  }

  /** Calls per second. */
  double rate(Instant now) {
    return recent * decay(now, RATE_MEMORY) / seconds(RATE_MEMORY);
  }

  /** How many calls may come within one start of a Pod, because as many have come before. */
  double peak(Instant now) {
    return peak * decay(now, PEAK_MEMORY);
  }

  /** Whether no call came for so long. */
  boolean areOlderThan(Duration age, Instant now) {
    return !now.minus(age).isBefore(last);
  }

  private double decay(Instant now, Duration memory) {
    return Math.exp(-Math.max(0, seconds(Duration.between(last, now))) / seconds(memory));
  }

  /** Not in milliseconds, of which there would be too many before the first call. */
  static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }
}
