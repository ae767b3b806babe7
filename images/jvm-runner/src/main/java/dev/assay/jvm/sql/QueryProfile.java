package dev.assay.jvm.sql;

import java.util.Set;
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

  static final QueryProfile UNKNOWN = new QueryProfile(null, false);

  private static final Set<String> AGGREGATES =
      Set.of(
          "UNGROUPED_AGGREGATE", "HASH_GROUP_BY", "PERFECT_HASH_GROUP_BY", "PARTITIONED_AGGREGATE");

  /** Reads the engine's own JSON. */
  static QueryProfile parse(@Nullable String profile) {
    if (profile == null) {
      return UNKNOWN;
    }
    Long scanned = null;
    boolean aggregates = false;
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), profile)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String member = json.currentName();
        json.nextToken();
        if (member.equals("operator")) {
          aggregates = aggregates(json);
        } else if (member.equals("query")) {
          scanned = rowsScanned(json);
        } else {
          json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      return UNKNOWN;
    }
    return new QueryProfile(scanned, aggregates);
  }

  private static @Nullable Long rowsScanned(JsonParser json) {
    Long scanned = null;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean isWanted = json.currentName().equals("total_rows_scanned");
      if (json.nextToken() == JsonToken.VALUE_NUMBER_INT && isWanted) {
        scanned = json.getLongValue();
      } else {
        json.skipChildren();
      }
    }
    return scanned;
  }

  /** Follows operators that have one child down to the one that makes the rows. */
  private static boolean aggregates(JsonParser operators) {
    boolean found = false;
    int count = 0;
    while (operators.nextToken() == JsonToken.START_OBJECT) {
      if (count++ == 0) {
        found = operatorAggregates(operators);
      } else {
        operators.skipChildren();
      }
    }
    return found && count == 1;
  }

  private static boolean operatorAggregates(JsonParser operator) {
    boolean found = false;
    while (operator.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = operator.currentName();
      JsonToken value = operator.nextToken();
      if (member.equals("type") && value == JsonToken.VALUE_STRING) {
        found |= AGGREGATES.contains(operator.getString());
      } else if (member.equals("children") && value == JsonToken.START_ARRAY) {
        found |= aggregates(operator);
      } else {
        operator.skipChildren();
      }
    }
    return found;
  }
}
