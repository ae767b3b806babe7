package dev.assay.jvm.sql;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What the engine measured of a query.
 *
 * @param rowsScanned null if it is unknown
 * @param isAggregation whether its rows are groups or totals of others
 */
record QueryProfile(@Nullable Long rowsScanned, boolean isAggregation) {
  private static final JsonFactory JSON = new JsonFactory();

  private static final String FILES = "Filename(s)";

  static final QueryProfile UNKNOWN = new QueryProfile(null, false);

  private static final Set<String> AGGREGATES =
      Set.of(
          "UNGROUPED_AGGREGATE", "HASH_GROUP_BY", "PERFECT_HASH_GROUP_BY", "PARTITIONED_AGGREGATE");

  /** Reads the engine's own JSON. */
  static QueryProfile parse(@Nullable String profile) {
    if (profile == null) {
      return UNKNOWN;
    }
    Scans scans = new Scans();
    boolean aggregates = false;
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), profile)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String member = json.currentName();
        json.nextToken();
        if (member.equals("operator")) {
          aggregates = aggregates(json, scans);
        } else {
          json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      return UNKNOWN;
    }
    return new QueryProfile(scans.rows(), aggregates);
  }

  /** Follows operators that have one child down to the one that makes the rows. */
  private static boolean aggregates(JsonParser operators, Scans scans) {
    boolean found = false;
    int count = 0;
    while (operators.nextToken() == JsonToken.START_OBJECT) {
      found |= operatorAggregates(operators, scans);
      count++;
    }
    return found && count == 1;
  }

  private static boolean operatorAggregates(JsonParser operator, Scans scans) {
    boolean found = false;
    Long rows = null;
    String files = "";
    while (operator.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = operator.currentName();
      JsonToken value = operator.nextToken();
      if (member.equals("type") && value == JsonToken.VALUE_STRING) {
        found |= AGGREGATES.contains(operator.getString());
      } else if (member.equals("children") && value == JsonToken.START_ARRAY) {
        found |= aggregates(operator, scans);
      } else if (member.equals("rows_scanned") && value == JsonToken.VALUE_NUMBER_INT) {
        rows = operator.getLongValue();
      } else if (member.equals("extra_info") && value == JsonToken.START_OBJECT) {
        files = files(operator);
      } else {
        operator.skipChildren();
      }
    }
    if (rows != null) {
      scans.add(files, rows);
    }
    return found;
  }

  private static String files(JsonParser information) {
    String files = "";
    while (information.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = information.currentName();
      JsonToken value = information.nextToken();
      if (member.equals(FILES) && value == JsonToken.VALUE_STRING) {
        files = information.getString();
      } else if (member.equals(FILES) && value == JsonToken.START_ARRAY) {
        files = joined(information);
      } else {
        information.skipChildren();
      }
    }
    return files;
  }

  private static String joined(JsonParser array) {
    StringJoiner texts = new StringJoiner(", ");
    while (array.nextToken() != JsonToken.END_ARRAY) {
      texts.add(array.getString());
      array.skipChildren();
    }
    return texts.toString();
  }

  /**
   * The rows of each table. The engine may read one twice by itself, the second time for the
   * columns of the rows that it has found, so only its longest scan counts.
   */
  private static final class Scans {
    private final Map<String, Long> byFiles = new HashMap<>();
    private long others;
    private boolean hasSome;

    void add(String files, long rows) {
      hasSome = true;
      if (files.isEmpty()) {
        others += rows;
      } else {
        byFiles.merge(files, rows, Math::max);
      }
    }

    @Nullable Long rows() {
      long ofFiles = byFiles.values().stream().mapToLong(Long::longValue).sum();
      return hasSome ? (Long) (others + ofFiles) : null;
    }
  }
}
