package dev.assay.jvm.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads rows as the driver returns them, of statements that are not queries. */
public final class ResultRows {
  private ResultRows() {}

  /** Reads all rows, and keeps the first in as far as there is room. */
  public static TableValue read(ResultSet result, int budgetBytes) throws SQLException {
    List<Column> all = TableReader.columns(result.getMetaData());
    List<Column> columns = all.subList(0, Math.min(all.size(), ColumnSummary.MAX_COLUMNS));
    List<String> rows = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    if (columns.size() < all.size()) {
      warnings.add(
          "The result has %,d columns; only the first %,d are shown"
              .formatted(all.size(), columns.size()));
    }
    int room = Math.min(budgetBytes / 2, TableReader.MAX_ROW_BYTES);
    long total = 0;
    while (result.next()) {
      total++;
      if (room > 0 && rows.size() < TableReader.MAX_ROWS) {
        String json = row(result, columns.size());
        room -= json.getBytes(UTF_8).length + 1;
        if (room > 0) {
          rows.add(json);
        }
      }
    }
    return new TableValue(columns, rows, total, warnings);
  }

  /** The one row of a statement that changes rows; none for a number below 0. */
  public static TableValue ofCount(long changed) {
    return new TableValue(
        List.of(new Column("Count", "BIGINT")),
        changed < 0 ? List.of() : List.of("[" + changed + "]"),
        changed < 0 ? 0 : 1,
        List.of());
  }

  private static String row(ResultSet result, int columns) throws SQLException {
    StringBuilder json = new StringBuilder("[");
    for (int i = 1; i <= columns; i++) {
      json.append(i == 1 ? "" : ",").append(cell(result.getObject(i)));
    }
    return json.append(']').toString();
  }

  private static String cell(@Nullable Object value) throws SQLException {
    String json = Cells.json(value);
    return json.length() <= Cells.MAX_CELL_BYTES / 3
        ? json
        : Cells.json(Cells.shortened(String.valueOf(value), Cells.MAX_CELL_BYTES));
  }
}
