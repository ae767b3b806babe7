package dev.assay.jvm.engine;

import dev.assay.jvm.engine.DatasetTable.Table;
import dev.assay.jvm.engine.DatasetTable.TableColumn;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The time zone in which a job counts days. Parquet keeps instants alone, so that the engine would
 * count all days in one zone, while pandas and Polars count those of a column in the column's.
 *
 * @param name as the IANA database has it
 * @param warning what the caller should know of the choice; null for nothing
 */
public record JobTimeZone(String name, @Nullable String warning) {
  private static final String UTC = "UTC";
  private static final int MAX_SHOWN_ZONES = 4;
  private static final int MAX_SHOWN_CHARACTERS = 64;

  /** A type of pandas, such as {@code datetime64[us, America/New_York]}. */
  private static final Pattern ZONED_TYPE = Pattern.compile("datetime64\\[\\w+, (.+)]");

  /** The zone that the caller names, or the one that all columns with a zone have. */
  static JobTimeZone choose(@Nullable String wanted, List<DatasetTable> datasets) {
    if (wanted != null && isKnown(wanted)) {
      return new JobTimeZone(wanted, null);
    }
    // Zones with the same rules have the same days: Etc/UTC is no other than UTC.
    Map<Object, String> zones = new LinkedHashMap<>();
    for (DatasetTable dataset : datasets) {
      Table table = dataset.table();
      for (TableColumn column : table == null ? List.<TableColumn>of() : table.columns()) {
        Matcher zoned = ZONED_TYPE.matcher(column.type());
        if (zoned.matches() && column.storedAs() == null) {
          // The table has an instant with an offset, such as +01:00, in UTC.
          String zone = isKnown(zoned.group(1)) ? zoned.group(1) : UTC;
          zones.putIfAbsent(ZoneId.of(zone).getRules(), zone);
        }
      }
    }
    if (zones.size() <= 1) {
      return new JobTimeZone(zones.isEmpty() ? UTC : zones.values().iterator().next(), null);
    }
    return new JobTimeZone(UTC, warning(new TreeSet<>(zones.values())));
  }

  private static String warning(TreeSet<String> zones) {
    List<String> shown = zones.stream().limit(MAX_SHOWN_ZONES).toList();
    String others = zones.size() > shown.size() ? " and others" : "";
    return "The datasets have columns in several time zones (%s%s), so that days and hours are those of UTC: name another zone in time_zone"
        .formatted(String.join(", ", shown), others);
  }

  /** Refuses a zone that does not exist. */
  public static void require(@Nullable String wanted) throws JobFailure {
    if (wanted != null && !isKnown(wanted)) {
      String shown =
          wanted.length() <= MAX_SHOWN_CHARACTERS
              ? wanted
              : wanted.substring(0, MAX_SHOWN_CHARACTERS) + "…";
      throw new JobFailure(
          ErrorCode.INVALID_INPUT,
          "InvalidTimeZone",
          "Time zone '%s' is not known: pass one of the IANA database, such as America/New_York"
              .formatted(shown));
    }
  }

  /** The engine has the regions of the database, and no offsets. */
  private static boolean isKnown(String zone) {
    try {
      return ZoneId.getAvailableZoneIds().contains(ZoneId.of(zone).getId())
          && !zone.startsWith("SystemV/");
    } catch (DateTimeException e) {
      return false;
    }
  }
}
