package dev.assay.cli.text;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A dataset with its columns. */
public final class DatasetDetails {
  private DatasetDetails() {}

  /**
   * Lines for a person.
   *
   * @param dataset as the REST API has it
   * @param now for its age
   */
  public static List<String> lines(JsonNode dataset, Instant now) {
    Table facts = new Table("Name:", dataset.path("name").asString());
    facts.add("Phase:", dataset.path("phase").asString());
    add(facts, "Message:", dataset.path("message"));
    add(facts, "Format:", dataset.path("format"));
    add(facts, "Rows:", dataset.path("rows"));
    add(facts, "Columns:", dataset.path("columnCount"));
    add(facts, "Source bytes:", dataset.path("bytes"));
    add(facts, "Memory bytes:", dataset.path("memoryBytes"));
    facts.add("Age:", Times.age(dataset.path("createdAt").asString(""), now));
    List<String> lines = new ArrayList<>(facts.lines());
    if (!dataset.path("columns").isEmpty()) {
      lines.add("");
      lines.addAll(columns(dataset.path("columns")));
    }
    if (!dataset.path("notes").isEmpty()) {
      lines.add("");
      lines.addAll(notes(dataset.path("notes")));
    }
    return lines;
  }

  private static List<String> notes(JsonNode notes) {
    Table table = new Table("NOTE ON", "NOTE", "OPTION");
    for (JsonNode note : notes) {
      table.add(
          note.path("column").asString(""),
          note.path("message").asString(""),
          note.path("option").asString(""));
    }
    return table.lines();
  }

  private static void add(Table facts, String what, JsonNode value) {
    if (!value.isMissingNode()) {
      facts.add(what, value.asString());
    }
  }

  private static List<String> columns(JsonNode columns) {
    Table table = new Table("COLUMN", "TYPE", "MISSING", "SAMPLES");
    for (JsonNode column : columns) {
      List<String> samples = new ArrayList<>();
      column.path("samples").forEach(sample -> samples.add(sample.asString()));
      table.add(
          column.path("name").asString(),
          column.path("type").asString(),
          column.path("nulls").asString("0"),
          String.join(", ", samples));
    }
    return table.lines();
  }
}
