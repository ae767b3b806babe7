package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds up the start of Pods while runs that were just given one start, and until those that are
 * short have ended: a Pod that starts takes the processor from them.
 */
final class RefillDeferral {
  /** What has run for longer is not held up for. */
  static final Duration SHORT_RUN = Duration.ofSeconds(1);

  /** Runs that come without a gap must not keep the pools empty. */
  static final Duration MAX = Duration.ofMillis(500);

  /** When each Pod was first seen to be claimed, by UID. */
  private final Map<String, Instant> claims = new HashMap<>();

  /** Since when there has been such a run each time; null if there was none the last time. */
  private @Nullable Instant since;

  /**
   * Whether no Pod is to be started now.
   *
   * @param claimed the UIDs of the Pods that runs were given, and that have not ended
   */
  boolean isNeeded(Set<String> claimed, Instant now) {
    claims.keySet().retainAll(claimed);
    claimed.forEach(uid -> claims.putIfAbsent(uid, now));
    if (claims.values().stream().noneMatch(claim -> now.isBefore(claim.plus(SHORT_RUN)))) {
      since = null;
      return false;
    }
    Instant begin = since == null ? now : since;
    since = begin;
    return now.isBefore(begin.plus(MAX));
  }
}
