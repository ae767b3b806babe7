package dev.assay.operator.kubernetes;

import java.time.Duration;
import java.util.Optional;

/** How long to wait before a repair that failed is tried again: longer each time, by one retry. */
final class RepairBackoff {
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofMinutes(1);

  private Duration next = FIRST;
  private boolean retryPending;

  synchronized void succeeded() {
    next = FIRST;
  }

  /** After which time to try again; empty where a retry is pending. */
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
