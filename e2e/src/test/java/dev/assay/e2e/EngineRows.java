package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
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
 */
record EngineRows(List<String> columns, List<List<JsonNode>> rows, long total) {
  private static final int MAX_SHOWN = 5;

  static EngineRows of(JsonNode result) {
    List<String> columns = new ArrayList<>();
    result.path("columns").forEach(name -> columns.add(name.asText()));
    List<List<JsonNode>> rows = new ArrayList<>();
    for (JsonNode row : result.path("data")) {
      List<JsonNode> values = new ArrayList<>();
      columns.stream().filter(row::has).forEach(name -> values.add(row.path(name)));
      rows.add(values);
    }
    return new EngineRows(columns, rows, result.path("total_rows").asLong());
  }

  /**
   * Where the other engine has something else.
   *
   * @param asText the columns that are text in tables, whose values pandas has in other types: only
   *     whether they are missing is compared
   * @param sameNames whether the names of the columns have to be the same
   */
  List<String> differencesFrom(EngineRows other, Set<String> asText, boolean sameNames) {
    List<String> found = new ArrayList<>();
    if (total != other.total) {
      found.add(total + " rows are " + other.total);
    }
    if (sameNames ? !columns.equals(other.columns) : columns.size() != other.columns.size()) {
      found.add("columns " + columns + " are " + other.columns);
    }
    if (total > 0 && !columns.isEmpty() && (rows.isEmpty() || other.rows.isEmpty())) {
      found.add("no rows");
    }
    for (int row = 0; row < Math.min(rows.size(), other.rows.size()); row++) {
      compare(row, other, asText, found);
    }
    return found.subList(0, Math.min(found.size(), MAX_SHOWN));
  }

  private void compare(int row, EngineRows other, Set<String> asText, List<String> found) {
    List<JsonNode> ours = rows.get(row);
    List<JsonNode> theirs = other.rows.get(row);
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      boolean agree =
          asText.contains(columns.get(i))
              ? ours.get(i).isNull() == theirs.get(i).isNull()
              : agree(ours.get(i), theirs.get(i));
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

  private static boolean sameInstant(String a, String b) {
    try {
      return OffsetDateTime.parse(a).isEqual(OffsetDateTime.parse(b));
    } catch (DateTimeParseException e) {
      return false;
    }
  }
}
