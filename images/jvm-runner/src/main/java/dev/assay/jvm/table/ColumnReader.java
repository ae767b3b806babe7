package dev.assay.jvm.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one column. What the engine is asked for is bounded, since the driver copies many rows at
 * once: a cell may be of any size.
 *
 * @param position of its first expression in the query, from 1
 */
record ColumnReader(Column column, ColumnKind kind, int position) {
  private static final int MAX_NESTED_CHARACTERS = 16 * 1024;

  /** A number, a date or an interval as text. */
  private static final int SHORT_BYTES = 64;

  /** One cell as JSON, and whether it was shortened. */
  record Cell(String json, boolean shortened) {}

  /**
   * Estimated memory of a cell: the maximum, except for types whose values are short. Nested values
   * may take more, but rarely do.
   */
  long usualBytes() {
    return kind == ColumnKind.NESTED || !ColumnKind.isShort(column.type())
        ? Cells.MAX_CELL_BYTES
        : SHORT_BYTES;
  }

  /** How many expressions it has in the query. */
  int width() {
    return kind == ColumnKind.NESTED ? 2 : 1;
  }

  /** What the query selects for it. */
  List<String> expressions() {
    String name = '"' + column.name().replace("\"", "\"\"") + '"';
    String text = "left(CAST(" + name + " AS VARCHAR), " + (Cells.MAX_CELL_BYTES + 1) + ")";
    return switch (kind) {
      case NATIVE -> List.of(name);
      case NESTED ->
          List.of(
              "CASE WHEN strlen(CAST(%s AS VARCHAR)) <= %d THEN %s END"
                  .formatted(name, MAX_NESTED_CHARACTERS, name),
              text);
      default -> List.of(text);
    };
  }

  /** The cell of the current row. */
  Cell read(ResultSet row) throws SQLException {
    @Nullable Object value = row.getObject(position);
    return switch (kind) {
      case NATIVE -> new Cell(Cells.json(value), false);
      case NESTED -> nested(value, row.getString(position + 1));
      default -> value == null ? new Cell("null", false) : text(value.toString());
    };
  }

  private Cell text(String value) throws SQLException {
    String shown = Cells.shortened(value, Cells.MAX_CELL_BYTES);
    boolean shortened = !shown.equals(value);
    Object converted =
        switch (kind) {
          case INTEGER, DECIMAL -> shortened ? shown : Cells.exactNumber(shown);
          case TIMESTAMP -> Cells.isoTimestamp(shown);
          default -> shown;
        };
    return new Cell(Cells.json(converted), shortened);
  }

  private static Cell nested(@Nullable Object value, @Nullable String text) throws SQLException {
    if (value == null && text == null) {
      return new Cell("null", false);
    }
    if (value != null) {
      String json = Cells.json(value);
      if (json.getBytes(UTF_8).length <= Cells.MAX_CELL_BYTES) {
        return new Cell(json, false);
      }
    }
    String whole = String.valueOf(text);
    String shown = Cells.shortened(whole + " ".repeat(Cells.MAX_CELL_BYTES), Cells.MAX_CELL_BYTES);
    return new Cell(Cells.json(shown), true);
  }

  /** Readers for columns, in their order. */
  static List<ColumnReader> of(List<Column> columns) {
    ColumnReader[] readers = new ColumnReader[columns.size()];
    int position = 1;
    for (int i = 0; i < readers.length; i++) {
      Column column = columns.get(i);
      readers[i] = new ColumnReader(column, ColumnKind.of(column.type()), position);
      position += readers[i].width();
    }
    return Arrays.asList(readers);
  }
}
