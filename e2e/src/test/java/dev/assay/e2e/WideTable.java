package dev.assay.e2e;

import java.io.IOException;
import java.io.Writer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A table of 25 columns, the same each time, of any number of rows: about 53 bytes each. */
final class WideTable {
  private static final int CATEGORIES = 23;
  private static final int FURTHER_COLUMNS = 21;

  private WideTable() {}

  /**
   * Writes it as CSV.
   *
   * @return the revenue of each category in cents
   */
  static long[] write(Writer csv, int rows) throws IOException {
    csv.write("id,category,region,revenue");
    for (int column = 1; column <= FURTHER_COLUMNS; column++) {
      csv.write(",metric_" + column);
    }
    csv.write('\n');
    long[] totals = new long[CATEGORIES];
    StringBuilder line = new StringBuilder();
    for (int row = 0; row < rows; row++) {
      int category = (int) ((long) row * 31 % 1_009 % CATEGORIES);
      long cents = (long) row * 7919 % 99_991;
      totals[category] += cents;
      line.setLength(0);
      line.append(row).append(",c").append(category).append(",r").append(row % 7).append(',');
      line.append(cents / 100).append(cents % 100 < 10 ? ".0" : ".").append(cents % 100);
      for (int column = 1; column <= FURTHER_COLUMNS; column++) {
        line.append(',').append((row + column) % (column + 3) % 10);
      }
      csv.append(line).append('\n');
    }
    return totals;
  }

  /** The categories by their revenue. */
  static List<Map.Entry<String, Long>> largestFirst(long[] totals) {
    return IntStream.range(0, totals.length)
        .mapToObj(category -> Map.entry("c" + category, totals[category]))
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .toList();
  }
}
