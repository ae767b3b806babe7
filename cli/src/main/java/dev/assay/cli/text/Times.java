package dev.assay.cli.text;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/** Durations for people. */
public final class Times {
  private static final int SECONDS_UNTIL_MINUTES = 120;
  private static final int MINUTES_UNTIL_HOURS = 120;
  private static final int HOURS_UNTIL_DAYS = 48;

  private Times() {}

  /** The age of a timestamp, such as 42s, 12m, 5h or 3d; {@code -} if it is malformed. */
  public static String age(String rfc3339, Instant now) {
    try {
      long seconds = Math.max(0, Duration.between(Instant.parse(rfc3339), now).toSeconds());
      if (seconds < SECONDS_UNTIL_MINUTES) {
        return seconds + "s";
      }
      long minutes = seconds / 60;
      if (minutes < MINUTES_UNTIL_HOURS) {
        return minutes + "m";
      }
      long hours = minutes / 60;
      return hours < HOURS_UNTIL_DAYS ? hours + "h" : hours / 24 + "d";
    } catch (DateTimeParseException e) {
      return "-";
    }
  }

  /** Such as 30ms, 1.5s or 42s. */
  public static String duration(long millis) {
    if (millis < 1000) {
      return millis + "ms";
    }
    return millis < 10_000
        ? String.format(Locale.ROOT, "%.1fs", millis / 1000.0)
        : millis / 1000 + "s";
  }
}
