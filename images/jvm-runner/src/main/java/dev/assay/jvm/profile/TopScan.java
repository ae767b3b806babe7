package dev.assay.jvm.profile;

import dev.assay.jvm.profile.TopValues.Top;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Counts the values of columns that have few different ones. */
final class TopScan {
  private static final long MAX_DISTINCT = 1000;
  private static final long MAX_TEXT_BYTES = 1024;
  private static final int TOP = 5;

  private final Connection connection;
  private final SourceTable table;

  TopScan(Connection connection, SourceTable table) {
    this.connection = connection;
    this.table = table;
  }

  /** Whether the values of a column are few, short and comparable. */
  static boolean isFor(SourceColumn column, ColumnStatistics statistics) {
    return column.storage() != StorageType.OTHER
        && statistics.distinct() > 0
        && statistics.distinct() <= MAX_DISTINCT
        && statistics.longestText() <= MAX_TEXT_BYTES;
  }

  /** Counts the values of a few columns; frequent ones first, then by value. */
  List<TopValues> run(List<SourceColumn> columns) throws SQLException {
    String inner =
        columns.stream()
            .map(
                column ->
                    "map_entries(histogram(%s)) AS %s".formatted(column.value(), column.alias()))
            .collect(Collectors.joining(",", "SELECT ", " FROM " + table.aliased()));
    String query =
        columns.stream()
            .map(column -> results(column.alias()))
            .collect(Collectors.joining(",", "SELECT ", " FROM (" + inner + ")"));
    List<TopValues> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      for (int i = 0; i < columns.size(); i++) {
        List<String> values = Values.jsonList(columns.get(i).type(), row.getArray(i * 3 + 2));
        Array counts = row.getArray(i * 3 + 3);
        found.add(new TopValues(row.getLong(i * 3 + 1), top(values, counts)));
      }
    }
    return found;
  }

  private static String results(String entries) {
    String top =
        "list_sort(list_transform(%s, lambda e: {'n': -(e.value::BIGINT), 'v': e.key}))[1:%d]"
            .formatted(entries, TOP);
    return "len(%s), list_transform(%s, lambda s: %s), list_transform(%2$s, lambda s: -s.n)"
        .formatted(entries, top, Values.shortened("s.v"));
  }

  private static List<Top> top(List<String> values, Array counts) throws SQLException {
    Object[] numbers = (Object[]) counts.getArray();
    List<Top> top = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      top.add(new Top(values.get(i), ((Number) numbers[i]).longValue()));
    }
    return top;
  }
}
