package dev.assay.jvm.profile;

import org.jspecify.annotations.Nullable;

/**
 * A column as a profile describes it.
 *
 * @param type what it holds
 * @param nulls rows without a value
 * @param distinct different values
 * @param isApproximate whether that is an estimate
 * @param statistics of all rows
 * @param inference from the sample
 * @param top null if it was not asked for, or the column has too many different values
 */
record ColumnProfile(
    SourceColumn source,
    ColumnType type,
    long rows,
    long nulls,
    long distinct,
    boolean isApproximate,
    ColumnStatistics statistics,
    Inference inference,
    @Nullable TopValues top) {

  static ColumnProfile of(
      SourceColumn source,
      long rows,
      ColumnStatistics statistics,
      Inference inference,
      @Nullable TopValues top,
      int maxCategories) {
    long distinct = top == null ? statistics.distinct() : top.distinct();
    return new ColumnProfile(
        source,
        type(source, inference, distinct, statistics.values(), maxCategories),
        rows,
        rows - statistics.values(),
        Math.min(distinct, statistics.values()),
        top == null && statistics.isApproximate(),
        statistics,
        inference,
        top);
  }

  private static ColumnType type(
      SourceColumn source, Inference inference, long distinct, long values, int maxCategories) {
    return switch (source.storage()) {
      case INTEGER, WIDE_INTEGER -> ColumnType.INT64;
      case FLOATING -> ColumnType.FLOAT64;
      case DECIMAL -> source.type().endsWith(",0)") ? ColumnType.INT64 : ColumnType.FLOAT64;
      case BOOLEAN -> ColumnType.BOOL;
      case TIME -> ColumnType.DATETIME;
      case ENUM -> ColumnType.CATEGORY;
      case OTHER -> ColumnType.STRING;
      case TEXT -> {
        if (inference.dates() != null) {
          yield ColumnType.DATETIME;
        }
        boolean isCategory = distinct > 0 && distinct <= maxCategories && distinct * 2 <= values;
        yield isCategory ? ColumnType.CATEGORY : ColumnType.STRING;
      }
    };
  }

  /** Whether the type is not that of the stored values. */
  boolean isStoredAsText() {
    return source.isMixed() || inference.dates() != null;
  }

  double nullFraction() {
    return rows == 0 ? 0 : (double) nulls / rows;
  }

  /** Percent with two decimals; never 0 or 100 unless there are none, or nothing else. */
  double nullPercent() {
    double rounded = Math.round(nullFraction() * 10_000) / 100.0;
    if (nulls == 0 || nulls == rows) {
      return rounded;
    }
    return Math.clamp(rounded, 0.01, 99.99);
  }
}
