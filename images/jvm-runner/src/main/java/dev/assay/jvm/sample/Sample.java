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
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A sample as the value of a job.
 *
 * @param total rows of the dataset
 * @param draw the rows of the sample
 */
record Sample(
    SampleArguments arguments, long total, Draw draw, List<String> warnings, long engineMs) {
  private static final JsonFactory JSON = new JsonFactory();

  /** Of the value's 256 KiB, what its other members leave. */
  private static final int TABLE_BYTES = 160 * 1024;

  private static final int SUMMARY_COLUMN_BYTES = 400;

  Sample {
    warnings = List.copyOf(warnings);
  }

  /**
   * Reads the rows that a value has room for.
   *
   * @param rows of the relation
   */
  static TableValue read(Connection connection, String relation, int rows) throws SQLException {
    int summarized = summarized(TableReader.columns(connection, relation), rows);
    int budget = TABLE_BYTES - summarized * SUMMARY_COLUMN_BYTES;
    return TableReader.read(connection, relation, rows, budget);
  }

  private static int summarized(List<Column> columns, int rows) {
    return rows <= 1 || columns.size() > ColumnSummary.MAX_COLUMNS ? 0 : columns.size();
  }

  /**
   * The value.
   *
   * @param table its rows
   */
  String json(Connection connection, String relation, TableValue table) throws SQLException {
    List<ColumnSummary> summary = summary(connection, relation);
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
    return summarized(columns, draw.size()) == 0
        ? List.of()
        : ColumnSummary.of(connection, relation, columns, true, 0);
  }

  private void writeSampling(JsonGenerator json, TableValue table) {
    json.writeObjectPropertyStart("sampling");
    json.writeStringProperty("strategy", Arguments.nameOf(arguments.strategy()));
    json.writeNumberProperty("rowsSampled", draw.size());
    json.writeNumberProperty("totalRows", total);
    json.writeArrayPropertyStart("columnsIncluded");
    table.columns().forEach(column -> json.writeString(column.name()));
    json.writeEndArray();
    if (arguments.strategy().isRandom()) {
      json.writeArrayPropertyStart("order");
      draw.order().forEach(json::writeNumber);
      json.writeEndArray();
      json.writeNumberProperty("strata", draw.strata());
    }
    Long seed = arguments.seed();
    if (seed == null) {
      json.writeNullProperty("seed");
    } else {
      json.writeNumberProperty("seed", seed);
    }
    json.writeEndObject();
  }
}
