package dev.assay.operator.pool;

import java.time.Duration;

/**
 * How long the Pods of a pool take to start, smoothed: a single start may have pulled the image.
 *
 * @param estimate at least {@link #MIN} and at most {@link #MAX}
 * @param isMeasured false before the first start
 */
record StartTime(Duration estimate, boolean isMeasured) {
  static final Duration MIN = Duration.ofMillis(100);

  /** Beyond, the margin of a pool could not follow the calls, and its maximum is the limit. */
  static final Duration MAX = Duration.ofMinutes(1);

  /** Nothing was measured yet. */
  static final StartTime UNKNOWN = new StartTime(Duration.ofSeconds(3), false);

  /** The weight of a start is one in so many. */
  private static final int SMOOTHING = 4;

  /** The estimate after one more start. */
  StartTime with(Duration measured) {
    Duration bounded = measured.compareTo(MIN) < 0 ? MIN : measured;
    bounded = bounded.compareTo(MAX) > 0 ? MAX : bounded;
    return new StartTime(
        isMeasured ? estimate.plus(bounded.minus(estimate).dividedBy(SMOOTHING)) : bounded, true);
  }
}
