package dev.assay.operator.kubernetes;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts, for each run or snapshot, the Pods that ended before any code ran, and determines when
 * the next one may be created. A new leader starts at 0: the pending deadline limits all attempts
 * together.
 */
public final class StartAttempts {
  /** Maximum number of Pods, the first one included. */
  public static final int MAX_ATTEMPTS = 4;

  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(5);
  private static final int BACKOFF_FACTOR = 3;
  private static final int REMEMBERED = 1024;

  private final Clock clock;
  private final Map<String, Failed> failed =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failed> eldest) {
          return size() > REMEMBERED;
        }
      };

  private record Failed(int attempts, String podUid, Duration backoff, Instant next) {}

  public StartAttempts(Clock clock) {
    this.clock = clock;
  }

  /**
   * A Pod has ended before any code ran. It counts once, however often it is reported.
   *
   * @param id of the run or snapshot
   * @param podUid the Pod
   * @param untilDeadline time left until the pending deadline
   * @return the delay until the next Pod may be created; empty if there must be none
   */
  public synchronized Optional<Duration> failed(String id, String podUid, Duration untilDeadline) {
    Failed before = failed.get(id);
    if (before != null && before.podUid().equals(podUid)) {
      return Optional.of(before.backoff());
    }
    int attempts = before == null ? 1 : before.attempts() + 1;
    Duration backoff = FIRST_BACKOFF;
    for (int i = 1; i < attempts; i++) {
      backoff = backoff.multipliedBy(BACKOFF_FACTOR);
    }
    if (attempts >= MAX_ATTEMPTS || backoff.compareTo(untilDeadline) >= 0) {
      return Optional.empty();
    }
    failed.put(id, new Failed(attempts, podUid, backoff, clock.instant().plus(backoff)));
    return Optional.of(backoff);
  }

  /** The remaining delay of the next Pod; zero if there is none. */
  public synchronized Duration backoff(String id) {
    Failed before = failed.get(id);
    if (before == null) {
      return Duration.ZERO;
    }
    Duration left = Duration.between(clock.instant(), before.next());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** The number of failed Pods. */
  public synchronized int count(String id) {
    Failed before = failed.get(id);
    return before == null ? 0 : before.attempts();
  }

  /** Removes the state of a run or snapshot that has ended. */
  public synchronized void forget(String id) {
    failed.remove(id);
  }
}
