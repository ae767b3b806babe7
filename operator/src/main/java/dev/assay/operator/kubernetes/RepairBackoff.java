package dev.assay.operator.kubernetes;

import java.time.Duration;
import java.util.Optional;

/** The backoff of a failed repair, with at most one pending retry. */
final class RepairBackoff {
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofMinutes(1);

  private Duration next = FIRST;
  private boolean retryPending;

  synchronized void succeeded() {
    next = FIRST;
  }

  /** The delay of the next retry; empty if a retry is pending. */
  synchronized Optional<Duration> failed() {
    if (retryPending) {
      return Optional.empty();
    }
    retryPending = true;
    Duration delay = next;
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(MAX) > 0 ? MAX : doubled;
    return Optional.of(delay);
  }

  synchronized void triedAgain() {
    retryPending = false;
  }
}
