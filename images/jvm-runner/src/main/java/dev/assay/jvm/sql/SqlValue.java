package dev.assay.jvm.sql;

import dev.assay.jvm.chart.ChartReply;
import dev.assay.jvm.job.FailureJson;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.table.ColumnSummary;
import dev.assay.jvm.table.TableValue;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The value of a query.
 *
 * @param engineMs how long the engine worked
 * @param isCacheable whether the same query returns the same rows
 * @param summary of the columns; empty for one row, or too many columns
 * @param chart of the rows; null if none was wanted
 */
record SqlValue(
    TableValue table,
    long engineMs,
    QueryProfile profile,
    boolean isCacheable,
    List<String> warnings,
    List<ColumnSummary> summary,
    @Nullable ChartReply chart) {
  private static final JsonFactory JSON = new JsonFactory();

  SqlValue {
    warnings = List.copyOf(warnings);
    summary = List.copyOf(summary);
  }

  String json() {
    return json(null);
  }

  /** The value of a job that has failed, with the rows that there are. */
  String json(@Nullable JobFailure failure) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      if (failure != null) {
        FailureJson.write(json, failure);
      }
      table.writeTo(json);
      json.writeStringProperty("engine", "duckdb");
      json.writeNumberProperty("engineMs", engineMs);
      Long scanned = profile.rowsScanned();
      if (scanned == null) {
        json.writeNullProperty("rowsScanned");
      } else {
        json.writeNumberProperty("rowsScanned", scanned);
      }
      json.writeBooleanProperty("aggregation", profile.isAggregation());
      json.writeBooleanProperty("cacheable", isCacheable);
      json.writeArrayPropertyStart("warnings");
      warnings.forEach(json::writeString);
      json.writeEndArray();
      if (!summary.isEmpty()) {
        json.writeArrayPropertyStart("summary");
        summary.forEach(column -> column.writeTo(json));
        json.writeEndArray();
      }
      if (chart != null) {
        chart.writeTo(json);
      }
      json.writeEndObject();
    }
    return text.toString();
  }
}
