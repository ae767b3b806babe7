package dev.assay.operator.runner;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A deadline that is paused while an event cannot be handled: that time does not count. */
final class PausableDeadline {
  /** Minimum time left after a pause, to receive what the runner held in the meantime. */
  private static final Duration MIN_LEFT_AFTER_PAUSE = Duration.ofSeconds(30);

  private final Clock clock;
  private Instant deadline;
  private @Nullable Instant pausedAt;
  private boolean failed;

  PausableDeadline(Clock clock, Instant deadline) {
    this.clock = clock;
    this.deadline = deadline;
  }

  /** An event is being handled. A second call without {@link #resume} means that it failed. */
  void pause() {
    if (pausedAt == null) {
      pausedAt = clock.instant();
    } else {
      failed = true;
    }
  }

  void resume() {
    Instant paused = pausedAt;
    if (paused == null) {
      return;
    }
    Instant now = clock.instant();
    pausedAt = null;
    if (now.isAfter(paused)) {
      Instant later = deadline.plus(Duration.between(paused, now));
      Instant earliest = now.plus(MIN_LEFT_AFTER_PAUSE);
      // Only for a failure: else a runner that sends an event now and then would never be given up.
      deadline = failed && later.isBefore(earliest) ? earliest : later;
    }
    failed = false;
  }

  boolean isPaused() {
    return pausedAt != null;
  }

  boolean hasPassed() {
    return pausedAt == null && !clock.instant().isBefore(deadline);
  }

  /** How long one connection may last from now. */
  Duration left() {
    return pausedAt == null ? Duration.between(clock.instant(), deadline) : MIN_LEFT_AFTER_PAUSE;
  }
}
