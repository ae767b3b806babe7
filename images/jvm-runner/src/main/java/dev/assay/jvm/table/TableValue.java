package dev.assay.jvm.table;

import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * Rows of a result, in as far as a value has room for them.
 *
 * @param columns those that are shown
 * @param rows each a JSON array
 * @param totalRows of the complete result
 * @param isPartial whether there may be more rows than that
 * @param warnings about what was left out or shortened
 */
public record TableValue(
    List<Column> columns,
    List<String> rows,
    long totalRows,
    boolean isPartial,
    List<String> warnings) {
  public TableValue {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
    warnings = List.copyOf(warnings);
  }

  /** A complete result. */
  public TableValue(
      List<Column> columns, List<String> rows, long totalRows, List<String> warnings) {
    this(columns, rows, totalRows, false, warnings);
  }

  /** The same rows, of a result that may have more. */
  public TableValue asPartial() {
    return new TableValue(columns, rows, totalRows, true, warnings);
  }

  /** The same rows with other warnings. */
  public TableValue withWarnings(List<String> others) {
    return new TableValue(columns, rows, totalRows, isPartial, others);
  }

  /** Whether the result has more rows. */
  public boolean isTruncated() {
    return isPartial || rows.size() < totalRows;
  }

  /** Writes the member {@code table} of a value. */
  public void writeTo(JsonGenerator json) {
    json.writeObjectPropertyStart("table");
    json.writeArrayPropertyStart("columns");
    for (Column column : columns) {
      json.writeStartObject();
      json.writeStringProperty("name", column.name());
      json.writeStringProperty("type", column.shownType());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("rows");
    for (String row : rows) {
      json.writeRawValue(row);
    }
    json.writeEndArray();
    json.writeNumberProperty("totalRows", totalRows);
    json.writeBooleanProperty("truncated", isTruncated());
    json.writeEndObject();
  }
}
