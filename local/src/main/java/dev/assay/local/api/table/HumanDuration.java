package dev.assay.local.api.table;

import java.time.Duration;

/** Durations in kubectl's manner: two units at most, the finer one only while it tells much. */
final class HumanDuration {
  private HumanDuration() {}

  static String of(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < -1) {
      return "<invalid>";
    }
    if (seconds < 0) {
      return "0s";
    }
    if (seconds < 120) {
      return seconds + "s";
    }
    long minutes = duration.toMinutes();
    if (minutes < 10) {
      return with(minutes, "m", seconds % 60, "s");
    }
    if (minutes < 180) {
      return minutes + "m";
    }
    long hours = duration.toHours();
    if (hours < 8) {
      return with(hours, "h", minutes % 60, "m");
    }
    if (hours < 48) {
      return hours + "h";
    }
    long days = duration.toDays();
    if (days < 8) {
      return with(days, "d", hours % 24, "h");
    }
    if (days < 730) {
      return days + "d";
    }
    return with(days / 365, "y", days % 365, "d");
  }

  private static String with(long whole, String unit, long rest, String restUnit) {
    return whole + unit + (rest == 0 ? "" : rest + restUnit);
  }
}
