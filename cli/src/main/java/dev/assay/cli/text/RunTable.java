package dev.assay.cli.text;

import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Runs in a table. */
public final class RunTable {
  private RunTable() {}

  /**
   * A line for each run, below headings.
   *
   * @param runs the items of the REST API's list
   * @param now for their ages
   */
  public static List<String> lines(JsonNode runs, Instant now) {
    if (runs.isEmpty()) {
      return List.of("No runs.");
    }
    Table table = new Table("NAME", "PHASE", "REASON", "DATASET", "DURATION", "AGE");
    for (JsonNode run : runs) {
      table.add(
          run.path("name").asString(),
          run.path("phase").asString(),
          run.path("reason").asString("-"),
          run.path("dataset").asString("-"),
          run.has("durationMs") ? Times.duration(run.path("durationMs").asLong()) : "-",
          Times.age(run.path("createdAt").asString(""), now));
    }
    return table.lines();
  }
}
