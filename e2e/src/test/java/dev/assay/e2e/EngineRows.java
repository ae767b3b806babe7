package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The first rows that an engine returned, compared with those of another.
 *
 * @param columns the names of all columns
 * @param rows a value for each of the first columns
 * @param total of the whole table
 * @param wide whether there are more columns than are shown
 */
record EngineRows(List<String> columns, List<List<JsonNode>> rows, long total, boolean wide) {
  private static final int MAX_SHOWN = 5;

  /** An engine that is compared with SQL. */
  enum Engine {
    POLARS,
    PANDAS
  }

  static EngineRows of(JsonNode result) {
    List<String> columns = new ArrayList<>();
    result.path("columns").forEach(name -> columns.add(name.asText()));
    List<List<JsonNode>> rows = new ArrayList<>();
    for (JsonNode row : result.path("data")) {
      List<JsonNode> values = new ArrayList<>();
      columns.stream().filter(row::has).forEach(name -> values.add(row.path(name)));
      rows.add(values);
    }
    boolean wide = result.path("warnings").toString().contains("select fewer");
    return new EngineRows(columns, rows, result.path("total_rows").asLong(), wide);
  }

  /** Returns the columns of these names, in this order. */
  EngineRows select(List<String> names) {
    List<Integer> positions = names.stream().map(columns::indexOf).toList();
    return new EngineRows(
        names, rows.stream().map(row -> selected(row, positions)).toList(), total, wide);
  }

  private static List<JsonNode> selected(List<JsonNode> row, List<Integer> positions) {
    return positions.stream().filter(position -> position < row.size()).map(row::get).toList();
  }

  /**
   * Where the other engine has something else than SQL, but for what docs/datasets.md names.
   *
   * @param other the rows of another engine, which in pandas may have other names of columns
   * @param asText the columns that are text in tables, whose values pandas has in other types: only
   *     whether they are missing is compared
   */
  List<String> differencesFrom(EngineRows other, Set<String> asText, Engine engine) {
    List<String> found = new ArrayList<>();
    if (total != other.total) {
      found.add(total + " rows are " + other.total);
    }
    if (wide != other.wide || !haveColumnsOf(other, engine)) {
      found.add("columns " + columns + " are " + other.columns);
    }
    if (total > 0 && !columns.isEmpty() && (rows.isEmpty() || other.rows.isEmpty())) {
      found.add("no rows");
    }
    for (int row = 0; row < Math.min(rows.size(), other.rows.size()); row++) {
      compare(row, other, asText, engine, found);
    }
    return found.subList(0, Math.min(found.size(), MAX_SHOWN));
  }

  /** Of a wide table each engine shows as many columns as fit beside the names of its types. */
  private boolean haveColumnsOf(EngineRows other, Engine engine) {
    int shown = Math.min(columns.size(), other.columns.size());
    return (wide || columns.size() == other.columns.size())
        && (engine == Engine.PANDAS
            || columns.subList(0, shown).equals(other.columns.subList(0, shown)));
  }

  private void compare(
      int row, EngineRows other, Set<String> asText, Engine engine, List<String> found) {
    List<JsonNode> ours = rows.get(row);
    List<JsonNode> theirs = other.rows.get(row);
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      boolean agree =
          asText.contains(columns.get(i))
              ? ours.get(i).isNull() == theirs.get(i).isNull()
              : agree(ours.get(i), theirs.get(i))
                  || differsAsDocumented(ours.get(i), theirs.get(i), engine);
      if (!agree) {
        found.add("%s[%d]: %s is %s".formatted(columns.get(i), row, ours.get(i), theirs.get(i)));
      }
    }
  }

  /** Whether two cells are the same value. */
  static boolean agree(JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return a.decimalValue().compareTo(b.decimalValue()) == 0 || a.asDouble() == b.asDouble();
    }
    if (a.isTextual() && b.isTextual()) {
      return a.equals(b) || sameInstant(a.asText(), b.asText());
    }
    if (a.isArray() && b.isArray()) {
      return a.size() == b.size() && allAgree(a, b);
    }
    if (a.isObject() && b.isObject()) {
      return membersAgree(a, b);
    }
    return a.equals(b);
  }

  private static boolean allAgree(JsonNode a, JsonNode b) {
    for (int i = 0; i < a.size(); i++) {
      if (!agree(a.get(i), b.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Objects of a table have the members of all rows. */
  private static boolean membersAgree(JsonNode a, JsonNode b) {
    Set<String> names = new HashSet<>();
    a.fieldNames().forEachRemaining(names::add);
    b.fieldNames().forEachRemaining(names::add);
    return names.stream()
        .allMatch(
            name ->
                a.path(name).isNull() && b.path(name).isMissingNode()
                    || a.path(name).isMissingNode() && b.path(name).isNull()
                    || agree(a.path(name), b.path(name)));
  }

  /** Whether a cell differs from that of SQL only as docs/datasets.md says. */
  private static boolean differsAsDocumented(JsonNode sql, JsonNode other, Engine engine) {
    boolean isMap = sql.isObject() && other.isArray();
    return switch (engine) {
      case POLARS -> isMap && agree(entries(sql), other);
      case PANDAS -> isMap && agree(pairs(sql), other) || isRounded(sql, other);
    };
  }

  /** Whole numbers with gaps are doubles in pandas. */
  private static boolean isRounded(JsonNode exact, JsonNode rounded) {
    return exact.isTextual()
        && rounded.isNumber()
        && exact.asText().matches("-?[0-9]{16,}")
        && Double.parseDouble(exact.asText()) == rounded.asDouble();
  }

  /** A map of DuckDB as Polars has it. */
  private static JsonNode entries(JsonNode map) {
    ArrayNode entries = JsonNodeFactory.instance.arrayNode();
    map.properties()
        .forEach(
            entry -> entries.addObject().put("key", entry.getKey()).set("value", entry.getValue()));
    return entries;
  }

  /** A map of DuckDB as pandas has it. */
  private static JsonNode pairs(JsonNode map) {
    ArrayNode pairs = JsonNodeFactory.instance.arrayNode();
    map.properties().forEach(entry -> pairs.addArray().add(entry.getKey()).add(entry.getValue()));
    return pairs;
  }

  private static boolean sameInstant(String a, String b) {
    try {
      return OffsetDateTime.parse(a).isEqual(OffsetDateTime.parse(b));
    } catch (DateTimeParseException e) {
      return false;
    }
  }
}
