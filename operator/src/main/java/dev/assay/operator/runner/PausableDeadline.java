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

  PausableDeadline(Clock clock, Instant deadline) {
    this.clock = clock;
    this.deadline = deadline;
  }

  void pause() {
    if (pausedAt == null) {
      pausedAt = clock.instant();
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
      deadline = later.isBefore(earliest) ? earliest : later;
    }
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
