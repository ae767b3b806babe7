package dev.assay.jvm.profile;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.profile.ColumnJson.Detail;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A profile as the value of a job, with as much detail as there is room for. */
final class ProfileJson {
  private static final JsonFactory JSON = new JsonFactory();

  /** Of the value's 256 KiB, what its other members leave. */
  static final int MAX_COLUMN_BYTES = 208 * 1024;

  private final TableProfile table;
  private final List<String> columns = new ArrayList<>();
  private final List<String> warnings;

  private ProfileJson(TableProfile table, List<String> warnings) {
    this.table = table;
    this.warnings = new ArrayList<>(warnings);
  }

  static String of(TableProfile table, List<String> warnings, long engineMs) {
    ProfileJson json = new ProfileJson(table, warnings);
    json.keepColumns();
    return json.text(engineMs);
  }

  private void keepColumns() {
    for (Detail detail : Detail.values()) {
      columns.clear();
      int room = MAX_COLUMN_BYTES;
      for (ColumnProfile column : table.columns()) {
        String json = ColumnJson.of(column, detail);
        room -= json.getBytes(UTF_8).length + 1;
        if (room < 0) {
          break;
        }
        columns.add(json);
      }
      if (columns.size() == table.columns().size()) {
        warn(detail);
        return;
      }
    }
    warn(Detail.BASIC);
    warnings.add(
        "Only the first %,d of %,d columns are listed"
            .formatted(columns.size(), table.columns().size()));
  }

  private void warn(Detail detail) {
    switch (detail) {
      case COMPLETE -> {}
      case WITHOUT_TOP -> warnings.add("There is no room for frequent values");
      case WITHOUT_VALUES -> warnings.add("There is no room for values");
      case BASIC -> warnings.add("There is no room for values and statistics");
    }
  }

  private String text(long engineMs) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeObjectPropertyStart("profile");
      json.writeArrayPropertyStart("columns");
      columns.forEach(json::writeRawValue);
      json.writeEndArray();
      json.writeNumberProperty("rowCount", table.rows());
      json.writeNumberProperty("columnCount", table.columns().size());
      json.writeNumberProperty("memoryBytes", table.memoryBytes());
      json.writeNumberProperty("fileBytes", table.fileBytes());
      json.writeNumberProperty("qualityScore", table.qualityScore());
      json.writeNumberProperty("duplicateRows", table.duplicateRows());
      json.writeBooleanProperty("duplicateRowsApprox", table.isDuplicatesApproximate());
      writeTexts(json, "recommendations", Recommendations.of(table));
      json.writeEndObject();
      json.writeStringProperty("engine", "duckdb");
      json.writeNumberProperty("engineMs", engineMs);
      json.writeNumberProperty("rowsScanned", table.rows());
      json.writeBooleanProperty("cacheable", true);
      writeTexts(json, "warnings", warnings);
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts) {
    json.writeArrayPropertyStart(name);
    texts.forEach(json::writeString);
    json.writeEndArray();
  }
}
