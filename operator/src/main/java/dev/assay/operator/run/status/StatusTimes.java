package dev.assay.operator.run.status;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Instants and durations as a run's status has them. */
public final class StatusTimes {
  private StatusTimes() {}

  /** An instant in RFC 3339, to the millisecond. */
  public static String text(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** The time between two instants; zero if the second is earlier. */
  static String duration(Instant from, Instant to) {
    return text(Duration.between(from, to));
  }

  /** A human-readable duration: 30ms, 1.5s, 42s. */
  static String text(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    if (millis < 1000) {
      return millis + "ms";
    }
    return millis < 10_000
        ? String.format(Locale.ROOT, "%.1fs", millis / 1000.0)
        : millis / 1000 + "s";
  }
}
