package dev.assay.jvm.profile;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The table that is profiled. Queries name its columns by position, so that any name will do.
 *
 * @param relation the table in SQL
 */
record SourceTable(String relation, List<SourceColumn> columns, long rows) {
  /** Wider tables have no room for values in a profile, so that none are looked for. */
  static final int MAX_COLUMNS_WITH_VALUES = 400;

  SourceTable {
    columns = List.copyOf(columns);
  }

  boolean isWide() {
    return columns.size() > MAX_COLUMNS_WITH_VALUES;
  }

  /** The table with its columns named by position, for a FROM clause. */
  String aliased() {
    return columns.stream()
        .map(SourceColumn::alias)
        .collect(Collectors.joining(",", relation + " AS t(", ")"));
  }

  /** Its columns in groups that one query reads, since each aggregate takes memory. */
  List<List<SourceColumn>> batches(int size) {
    return IntStream.iterate(0, i -> i < columns.size(), i -> i + size)
        .mapToObj(i -> columns.subList(i, Math.min(i + size, columns.size())))
        .toList();
  }
}
