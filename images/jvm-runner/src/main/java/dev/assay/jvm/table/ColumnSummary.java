package dev.assay.jvm.table;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Statistics of one column.
 *
 * @param nulls how many rows have no value
 * @param distinct how many values there are
 * @param isEstimate whether they were estimated, not counted
 * @param min the smallest value as JSON, or null
 * @param max the largest value as JSON, or null
 * @param mean of numbers, else null
 */
public record ColumnSummary(
    Column column,
    long nulls,
    long distinct,
    boolean isEstimate,
    String min,
    String max,
    @Nullable Double mean) {
  public static final int MAX_COLUMNS = 256;
  private static final int MAX_VALUE_BYTES = 64;
  private static final int EXPRESSIONS = 5;

  /**
   * Summarizes all columns of a relation.
   *
   * @param relation a quoted name, or a query in parentheses
   * @param exact whether distinct values are counted, which takes memory, or estimated
   * @param timeoutSeconds 0 for none
   * @throws java.sql.SQLTimeoutException after that time
   */
  public static List<ColumnSummary> of(
      Connection connection,
      String relation,
      List<Column> columns,
      boolean exact,
      int timeoutSeconds)
      throws SQLException {
    String query =
        columns.stream()
            .map(column -> expressions(column, exact))
            .collect(Collectors.joining(", ", "SELECT ", " FROM " + relation));
    List<ColumnSummary> summaries = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(timeoutSeconds);
      try (ResultSet row = statement.executeQuery(query)) {
        if (row.next()) {
          for (int i = 0; i < columns.size(); i++) {
            summaries.add(read(columns.get(i), exact, row, i * EXPRESSIONS + 1));
          }
        }
      }
    }
    return summaries;
  }

  private static String expressions(Column column, boolean exact) {
    String name = '"' + column.name().replace("\"", "\"\"") + '"';
    ColumnKind kind = ColumnKind.of(column.type());
    String distinct =
        exact ? "count(DISTINCT " + name + ")" : "approx_count_distinct(" + name + ")";
    String extreme =
        kind == ColumnKind.NESTED
            ? "NULL"
            : "left(CAST(%s(" + name + ") AS VARCHAR), " + (MAX_VALUE_BYTES + 1) + ")";
    // Values that are not finite would hide the mean of the others.
    String mean =
        kind.isNumeric(column.type())
            ? "avg(CASE WHEN isfinite(x) THEN x END)".replace("x", "CAST(" + name + " AS DOUBLE)")
            : "NULL";
    return String.join(
        ", ",
        "count(*) - count(" + name + ")",
        distinct,
        extreme.formatted("min"),
        extreme.formatted("max"),
        mean);
  }

  private static ColumnSummary read(Column column, boolean exact, ResultSet row, int first)
      throws SQLException {
    double mean = row.getDouble(first + 4);
    boolean hasMean = !row.wasNull() && Double.isFinite(mean);
    return new ColumnSummary(
        column,
        row.getLong(first),
        row.getLong(first + 1),
        !exact,
        value(column, row.getString(first + 2)),
        value(column, row.getString(first + 3)),
        hasMean ? mean : null);
  }

  private static String value(Column column, @Nullable String text) throws SQLException {
    if (text == null) {
      return "null";
    }
    ColumnKind kind = ColumnKind.of(column.type());
    String shown = Cells.shortened(text, MAX_VALUE_BYTES);
    if (kind == ColumnKind.TIMESTAMP) {
      return Cells.json(Cells.isoTimestamp(shown));
    }
    if (column.type().equals("BOOLEAN")) {
      return shown;
    }
    if (kind == ColumnKind.TEXT || !shown.equals(text)) {
      return Cells.json(shown);
    }
    boolean isFloating = column.type().equals("DOUBLE") || column.type().equals("FLOAT");
    return Cells.json(isFloating ? Cells.floatingNumber(text) : Cells.exactNumber(text));
  }

  /** Writes an element of the member {@code summary} of a value. */
  public void writeTo(JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", column.name());
    json.writeStringProperty("type", column.shownType());
    json.writeNumberProperty("nulls", nulls);
    json.writeNumberProperty("distinct", distinct);
    if (isEstimate) {
      json.writeBooleanProperty("distinctApprox", true);
    }
    json.writeName("min");
    json.writeRawValue(min);
    json.writeName("max");
    json.writeRawValue(max);
    json.writeName("mean");
    if (mean == null) {
      json.writeNull();
    } else {
      json.writeNumber(mean);
    }
    json.writeEndObject();
  }
}
