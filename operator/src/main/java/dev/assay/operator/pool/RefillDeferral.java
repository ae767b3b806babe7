package dev.assay.operator.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds up the start of Pods while runs that were just given one start, and until those that are
 * short have ended: a Pod that starts takes the processor from them. The more runs there are at
 * once, the longer they take.
 */
final class RefillDeferral {
  /** What has run for longer is not held up for. */
  static final Duration SHORT_RUN = Duration.ofSeconds(1);

  /** For one run: those that come without a gap must not keep the pools empty. */
  static final Duration MAX = Duration.ofMillis(500);

  /** For each further one that has not ended; 20 at once have started after 2 s on two cores. */
  static final Duration MAX_EACH = Duration.ofMillis(100);

  /** For all of them. */
  static final Duration MAX_BURST = Duration.ofSeconds(3);

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
    Instant begin = since == null ? now : since;
    Duration max = max(begin);
    Duration young = max.compareTo(SHORT_RUN) > 0 ? max : SHORT_RUN;
    if (claims.values().stream().noneMatch(claim -> now.isBefore(claim.plus(young)))) {
      since = null;
      return false;
    }
    since = begin;
    return now.isBefore(begin.plus(max));
  }

  /** For the runs that were given Pods since a time. */
  private Duration max(Instant begin) {
    long runs = claims.values().stream().filter(claim -> !claim.isBefore(begin)).count();
    Duration max = MAX.plus(MAX_EACH.multipliedBy(Math.max(0, runs - 1)));
    return max.compareTo(MAX_BURST) < 0 ? max : MAX_BURST;
  }
}
