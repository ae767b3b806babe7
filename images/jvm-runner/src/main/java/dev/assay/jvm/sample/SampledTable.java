package dev.assay.jvm.sample;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.builtin.BuiltinTable;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.table.Column;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The table that is sampled. Queries name its columns by position, so that any name will do. */
final class SampledTable {
  private final BuiltinTable table;
  private final List<String> names;
  private final String aliased;

  SampledTable(BuiltinTable table) throws SQLException {
    this.table = table;
    this.names = table.columns().stream().map(Column::name).toList();
    this.aliased =
        IntStream.range(0, names.size())
            .mapToObj(SampledTable::alias)
            .collect(Collectors.joining(",", table.relation() + " AS t(", ")"));
  }

  private static String alias(int position) {
    return "c" + position;
  }

  List<String> names() {
    return names;
  }

  /** The positions of columns by their names, each once. */
  Set<Integer> positions(List<String> wanted) throws JobFailure {
    Set<Integer> positions = new LinkedHashSet<>();
    for (String name : wanted) {
      positions.add(position(name));
    }
    return positions;
  }

  /** The position of a column by its name, whose case need not be the same. */
  int position(String wanted) throws JobFailure {
    int exact = names.indexOf(wanted);
    if (exact >= 0) {
      return exact;
    }
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equalsIgnoreCase(wanted)) {
        return i;
      }
    }
    throw new JobFailure(
        ErrorCode.SCHEMA_ERROR,
        "ColumnNotFound",
        "Column '%s' not found".formatted(Arguments.shown(wanted)),
        null,
        BuiltinTable.suggestions(wanted, names));
  }

  /** The strata of a column. */
  Strata strata(int column, long seed) {
    String numbered =
        "(SELECT %s AS s, row_number() OVER () - 1 AS r FROM %s)".formatted(alias(column), aliased);
    return new Strata(table.connection(), numbered, seed);
  }

  /**
   * Keeps rows in a table of this session.
   *
   * @param columns positions of its columns
   * @param rows positions in increasing order
   */
  void copy(String target, Set<Integer> columns, List<Long> rows) throws SQLException {
    String selected =
        columns.stream()
            .map(column -> alias(column) + " AS " + Session.quoted(names.get(column)))
            .collect(Collectors.joining(", "));
    try (Statement statement = table.connection().createStatement()) {
      statement.execute(
          "CREATE OR REPLACE TEMP TABLE %s AS SELECT %s FROM %s"
              .formatted(target, selected, rows(columns, rows)));
    }
  }

  private String rows(Set<Integer> columns, List<Long> rows) {
    if (rows.isEmpty() || rows.getLast() == rows.size() - 1) {
      return aliased + " LIMIT " + rows.size();
    }
    String read = columns.stream().map(SampledTable::alias).collect(Collectors.joining(","));
    return "(SELECT %s, row_number() OVER () - 1 AS r FROM %s) WHERE r IN %s ORDER BY r"
        .formatted(
            read,
            aliased,
            rows.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ")")));
  }
}
