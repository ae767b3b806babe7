package dev.assay.jvm.sample;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.table.Column;
import dev.assay.jvm.table.ColumnSummary;
import dev.assay.jvm.table.TableReader;
import dev.assay.jvm.table.TableValue;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A sample as the value of a job.
 *
 * @param total rows of the dataset
 * @param rows of the sample
 */
record Sample(
    SampleArguments arguments, long total, int rows, List<String> warnings, long engineMs) {
  private static final JsonFactory JSON = new JsonFactory();

  /** Of the value's 256 KiB, what its other members leave. */
  private static final int TABLE_BYTES = 160 * 1024;

  private static final int SUMMARY_COLUMN_BYTES = 400;

  Sample {
    warnings = List.copyOf(warnings);
  }

  /**
   * The value.
   *
   * @param stored stores the rows that it has
   */
  String json(Connection connection, String relation, UnaryOperator<TableValue> stored)
      throws SQLException {
    List<ColumnSummary> summary = summary(connection, relation);
    int budget = TABLE_BYTES - summary.size() * SUMMARY_COLUMN_BYTES;
    TableValue table = stored.apply(TableReader.read(connection, relation, rows, budget));
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      table.writeTo(json);
      writeSampling(json, table);
      json.writeStringProperty("engine", "duckdb");
      json.writeNumberProperty("engineMs", engineMs);
      json.writeNumberProperty("rowsScanned", total);
      json.writeBooleanProperty("aggregation", false);
      json.writeBooleanProperty("cacheable", arguments.isRepeatable());
      json.writeArrayPropertyStart("warnings");
      warnings.forEach(json::writeString);
      table.warnings().forEach(json::writeString);
      json.writeEndArray();
      if (!summary.isEmpty()) {
        json.writeArrayPropertyStart("summary");
        summary.forEach(column -> column.writeTo(json));
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  private List<ColumnSummary> summary(Connection connection, String relation) throws SQLException {
    List<Column> columns = TableReader.columns(connection, relation);
    return rows <= 1 || columns.size() > ColumnSummary.MAX_COLUMNS
        ? List.of()
        : ColumnSummary.of(connection, relation, columns, true, 0);
  }

  private void writeSampling(JsonGenerator json, TableValue table) {
    json.writeObjectPropertyStart("sampling");
    json.writeStringProperty("strategy", Arguments.nameOf(arguments.strategy()));
    json.writeNumberProperty("rowsSampled", rows);
    json.writeNumberProperty("totalRows", total);
    json.writeArrayPropertyStart("columnsIncluded");
    table.columns().forEach(column -> json.writeString(column.name()));
    json.writeEndArray();
    Long seed = arguments.seed();
    if (seed == null) {
      json.writeNullProperty("seed");
    } else {
      json.writeNumberProperty("seed", seed);
    }
    json.writeEndObject();
  }
}
