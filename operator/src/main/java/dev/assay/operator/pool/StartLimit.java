package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;

/**
 * How many Pods of a pool may start at once: more while they start no slower than one alone, and
 * half as many when they do, as TCP finds out what a network can take.
 *
 * @param pods between {@link #MIN} and {@link #MAX}; the fraction counts for later
 * @param shortest how long the fastest start took, forgotten slowly while the limit is not reached;
 *     zero before the first
 * @param reached when the limit kept Pods from being started last
 * @param lowered when it was lowered last
 */
record StartLimit(double pods, Duration shortest, Instant reached, Instant lowered) {
  /** What two cores can take beside runs. */
  static final int MIN = 4;

  /** One pool must not fill the queues of a large cluster's scheduler, registry and API server. */
  static final int MAX = 32;

  static final StartLimit NEW = new StartLimit(MIN, Duration.ZERO, Instant.MIN, Instant.MIN);

  /** A start that takes so much longer than the shortest has waited for others. */
  private static final double SLOW = 2;

  /** Of the shortest, per start: one takes longer once the image or the nodes have changed. */
  private static final double FORGETTING = 1.01;

  int count() {
    return (int) pods;
  }

  /** More Pods are wanted than may start. */
  StartLimit isReached(Instant now) {
    return new StartLimit(pods, shortest, now, lowered);
  }

  /** A Pod has started. Says nothing of more Pods at once if there were no more to be started. */
  StartLimit with(Duration took, Instant now) {
    Instant began = now.minus(took);
    boolean isUsed = !reached.isBefore(began);
    Duration least = shortestAfter(took, isUsed);
    if (took.toNanos() > least.toNanos() * SLOW) {
      // Once for all that have started together.
      return began.isBefore(lowered)
          ? new StartLimit(pods, least, reached, lowered)
          : new StartLimit(Math.max(MIN, pods / 2), least, reached, now);
    }
    return new StartLimit(isUsed ? Math.min(MAX, pods + 1 / pods) : pods, least, reached, lowered);
  }

  /** Pods that have waited for each other do not tell how long one takes alone. */
  private Duration shortestAfter(Duration took, boolean isUsed) {
    if (shortest.isZero() || took.compareTo(shortest) < 0) {
      return took;
    }
    if (isUsed) {
      return shortest;
    }
    Duration later = Duration.ofNanos(Math.round(shortest.toNanos() * FORGETTING));
    return took.compareTo(later) < 0 ? took : later;
  }
}
