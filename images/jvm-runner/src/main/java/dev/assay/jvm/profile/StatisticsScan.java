package dev.assay.jvm.profile;

import dev.assay.jvm.profile.ColumnStatistics.Range;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Aggregates columns over all rows of the table. */
final class StatisticsScan {
  /** Exact numbers of different values, and quartiles, take memory for each value. */
  static final long MAX_EXACT_ROWS = 1_000_000;

  private static final int EXPRESSIONS = 11;
  private static final int MAX_COLUMNS_FOR_QUERIES = 100;

  private final Connection connection;
  private final SourceTable table;
  private final boolean withRanges;
  private final boolean isExact;

  StatisticsScan(Connection connection, SourceTable table, boolean withRanges) {
    this.connection = connection;
    this.table = table;
    this.withRanges = withRanges;
    this.isExact = !table.isWide() && table.rows() <= MAX_EXACT_ROWS;
  }

  /**
   * Aggregates a few columns.
   *
   * @param inferences of these columns
   */
  List<ColumnStatistics> run(List<SourceColumn> columns, List<Inference> inferences)
      throws SQLException {
    List<String> expressions = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      expressions.addAll(expressions(columns.get(i), inferences.get(i)));
    }
    String query =
        expressions.stream()
            .collect(Collectors.joining(",", "SELECT ", " FROM " + table.aliased()));
    List<ColumnStatistics> statistics = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      for (int i = 0; i < columns.size(); i++) {
        statistics.add(read(columns.get(i), inferences.get(i), row, i * EXPRESSIONS + 1));
      }
    }
    return statistics;
  }

  private List<String> expressions(SourceColumn column, Inference inference) {
    StorageType storage = column.storage();
    boolean isText = storage == StorageType.TEXT;
    DateFormat dates = inference.dates();
    String time = dates == null ? column.finite() : dates.parsed("trim(" + column.alias() + ")");
    boolean hasRange = withRanges && (storage.hasRange() || dates != null);
    boolean hasMean = withRanges && storage.isNumeric();
    List<String> expressions = new ArrayList<>();
    expressions.add("count(" + column.value() + ")");
    expressions.add(distinct(column));
    expressions.add(isText ? "sum(strlen(" + column.alias() + "))" : "0");
    expressions.add(isText ? "max(strlen(" + column.alias() + "))" : "0");
    expressions.add(dates == null ? "0" : "count(" + time + ")");
    expressions.add(hasRange ? Values.shortened("min(" + time + ")") : "NULL");
    expressions.add(hasRange ? Values.shortened("max(" + time + ")") : "NULL");
    expressions.add(hasMean ? mean(column) : "NULL");
    for (String quartile : List.of("0.25", "0.5", "0.75")) {
      expressions.add(hasMean ? quantile(column, quartile) : "NULL");
    }
    return expressions;
  }

  /** Long and nested values are counted by their hashes, which take less memory. */
  private String distinct(SourceColumn column) {
    boolean isHashed =
        column.storage() == StorageType.TEXT || column.storage() == StorageType.OTHER;
    String value =
        isHashed
            ? "(CASE WHEN %1$s IS NOT NULL THEN hash(%1$s) END)".formatted(column.alias())
            : column.value();
    if (!isExact) {
      return "approx_count_distinct(" + value + ")";
    }
    // A query of its own is faster, unless binding all columns again for each takes longer.
    return table.columns().size() > MAX_COLUMNS_FOR_QUERIES
        ? "count(DISTINCT " + value + ")"
        : "(SELECT count(v) FROM (SELECT DISTINCT %s AS v FROM %s))"
            .formatted(value, table.aliased());
  }

  private static String mean(SourceColumn column) {
    boolean isSmall = column.storage() == StorageType.INTEGER;
    return "avg(" + column.finite() + (isSmall ? ")" : "::DOUBLE)");
  }

  private String quantile(SourceColumn column, String fraction) {
    String function = isExact ? "quantile_cont" : "approx_quantile";
    // The same aggregate three times is computed once.
    String index = Integer.toString((int) (Double.parseDouble(fraction) * 4));
    return function + "(" + column.finite() + "::DOUBLE, [0.25, 0.5, 0.75])[" + index + "]";
  }

  private ColumnStatistics read(SourceColumn column, Inference inference, ResultSet row, int first)
      throws SQLException {
    long values = row.getLong(first);
    return new ColumnStatistics(
        values,
        row.getLong(first + 1),
        !isExact,
        bytes(column, inference, values, row.getLong(first + 2)),
        row.getLong(first + 3),
        row.getLong(first + 4),
        range(column, inference, row, first + 5));
  }

  /** As Arrow stores them: texts and nested values have an offset, and their own bytes. */
  private long bytes(SourceColumn column, Inference inference, long values, long textBytes) {
    long fixed = table.rows() * column.storage().bytes(column.type());
    return switch (column.storage()) {
      case TEXT -> fixed + textBytes;
      case OTHER -> fixed + Math.round(inference.textBytes() * values);
      case INTEGER, WIDE_INTEGER, FLOATING, DECIMAL, BOOLEAN, TIME, ENUM -> fixed;
    };
  }

  private static @Nullable Range range(
      SourceColumn column, Inference inference, ResultSet row, int first) throws SQLException {
    String min = row.getString(first);
    String max = row.getString(first + 1);
    if (min == null || max == null) {
      return null;
    }
    String type = inference.dates() == null ? column.type() : "TIMESTAMP";
    return new Range(
        Values.json(type, min),
        Values.json(type, max),
        number(row, first + 2),
        number(row, first + 3),
        number(row, first + 4),
        number(row, first + 5));
  }

  private static @Nullable Double number(ResultSet row, int position) throws SQLException {
    double number = row.getDouble(position);
    return row.wasNull() || !Double.isFinite(number) ? null : number;
  }
}
