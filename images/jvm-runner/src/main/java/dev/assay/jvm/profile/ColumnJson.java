package dev.assay.jvm.profile;

import dev.assay.jvm.profile.ColumnStatistics.Range;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A column of a profile as JSON. */
final class ColumnJson {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int MAX_NAME_CHARACTERS = 256;

  /** How much is written of each column; all columns of a profile have the same. */
  enum Detail {
    COMPLETE,
    WITHOUT_TOP,
    WITHOUT_VALUES,
    /** Names, types, nulls and numbers of different values. */
    BASIC
  }

  private ColumnJson() {}

  static String of(ColumnProfile column, Detail detail) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("name", shortened(column.source().name()));
      json.writeStringProperty("type", column.type().text());
      json.writeStringProperty("storedAs", column.isStoredAsText() ? "string" : null);
      json.writeNumberProperty("nulls", column.nulls());
      json.writeNumberProperty("nullPct", column.nullPercent());
      json.writeNumberProperty("uniqueCount", column.distinct());
      json.writeBooleanProperty("uniqueCountApprox", column.isApproximate());
      if (detail != Detail.BASIC) {
        writeValues(json, column, detail);
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void writeValues(JsonGenerator json, ColumnProfile column, Detail detail) {
    json.writeArrayPropertyStart("sampleValues");
    if (detail != Detail.WITHOUT_VALUES) {
      column.inference().samples().forEach(json::writeRawValue);
    }
    json.writeEndArray();
    Range range = column.statistics().range();
    if (range != null) {
      json.writeName("min");
      json.writeRawValue(range.min());
      json.writeName("max");
      json.writeRawValue(range.max());
      write(json, "mean", range.mean());
      write(json, "q25", range.q25());
      write(json, "q50", range.q50());
      write(json, "q75", range.q75());
    }
    TopValues top = column.top();
    if (top != null && !top.values().isEmpty() && detail == Detail.COMPLETE) {
      json.writeArrayPropertyStart("top");
      for (TopValues.Top value : top.values()) {
        json.writeStartObject();
        json.writeName("value");
        json.writeRawValue(value.value());
        json.writeNumberProperty("count", value.count());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
  }

  private static void write(JsonGenerator json, String name, @Nullable Double number) {
    if (number != null) {
      json.writeNumberProperty(name, number);
    }
  }

  private static String shortened(String name) {
    return name.codePointCount(0, name.length()) <= MAX_NAME_CHARACTERS
        ? name
        : name.substring(0, name.offsetByCodePoints(0, MAX_NAME_CHARACTERS)) + "…";
  }
}
