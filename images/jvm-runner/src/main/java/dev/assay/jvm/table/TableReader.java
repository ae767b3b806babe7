package dev.assay.jvm.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the rows of a relation as JSON, within the limits of a value. */
public final class TableReader {
  public static final int MAX_ROWS = 1000;
  public static final int MAX_ROW_BYTES = 192 * 1024;

  private static final int MAX_COLUMN_BYTES = 96 * 1024;
  private static final int MAX_NAME_BYTES = 512;

  private static final int MAX_WARNED_COLUMNS = 10;

  private final Connection connection;
  private final String relation;
  private final List<Column> columns = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final Set<String> shortened = new LinkedHashSet<>();
  private int room;

  private TableReader(Connection connection, String relation, int budgetBytes) {
    this.connection = connection;
    this.relation = relation;
    this.room = budgetBytes;
  }

  /**
   * Reads the first rows of a relation.
   *
   * @param relation a quoted name, or a query in parentheses; read several times, so that its rows
   *     must keep their order
   * @param totalRows of the complete result
   * @param budgetBytes how much JSON the table may take, columns included
   */
  public static TableValue read(
      Connection connection, String relation, long totalRows, int budgetBytes) throws SQLException {
    TableReader reader = new TableReader(connection, relation, budgetBytes);
    reader.keepColumns(columns(connection, relation));
    reader.readRows();
    reader.warn();
    return new TableValue(reader.columns, reader.rows, totalRows, reader.warnings);
  }

  /** The columns of a relation. */
  public static List<Column> columns(Connection connection, String relation) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet none = statement.executeQuery("FROM " + relation + " LIMIT 0")) {
      return columns(none.getMetaData());
    }
  }

  /** The columns of a result. */
  static List<Column> columns(ResultSetMetaData metadata) throws SQLException {
    List<Column> columns = new ArrayList<>();
    for (int i = 1; i <= metadata.getColumnCount(); i++) {
      columns.add(
          new Column(metadata.getColumnName(i), metadata.getColumnTypeName(i).replace("\"", "")));
    }
    return columns;
  }

  private void keepColumns(List<Column> all) throws SQLException {
    int limit = room - Math.min(MAX_COLUMN_BYTES, room / 2);
    for (Column column : all) {
      int bytes = 24 + bytes(Cells.json(column.name())) + bytes(Cells.json(column.shownType()));
      if (room - bytes < limit || column.name().length() > MAX_NAME_BYTES) {
        break;
      }
      room -= bytes;
      columns.add(column);
    }
    if (columns.size() < all.size()) {
      warnings.add(
          "The result has %,d columns; only the first %,d are shown: select fewer"
              .formatted(all.size(), columns.size()));
    }
    room = Math.min(room, MAX_ROW_BYTES);
  }

  private void readRows() throws SQLException {
    RowPages.read(connection, relation, columns, MAX_ROWS, this::keep);
  }

  private boolean keep(String row, Set<String> cut) {
    room -= bytes(row) + 1;
    if (room < 0) {
      return false;
    }
    rows.add(row);
    shortened.addAll(cut);
    return true;
  }

  private void warn() {
    if (!shortened.isEmpty()) {
      String names = shortened.stream().limit(MAX_WARNED_COLUMNS).collect(Collectors.joining(", "));
      String more = shortened.size() > MAX_WARNED_COLUMNS ? ", …" : "";
      warnings.add("Long values were shortened in: " + names + more);
    }
  }

  private static int bytes(String json) {
    return json.getBytes(UTF_8).length;
  }
}
