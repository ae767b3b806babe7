package dev.assay.jvm.sql;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The values for the parameters of a query.
 *
 * @param values by name, or by position from 1
 * @param isNamed whether they have names
 */
record Parameters(Map<String, @Nullable Object> values, boolean isNamed) {
  private static final JsonFactory JSON = new JsonFactory();

  static final Parameters NONE = new Parameters(Map.of(), false);

  /** A list that is bound as one value. */
  record ListValue(List<@Nullable Object> elements) {}

  /** Reads a JSON array, for parameters by position, or an object, for those with names. */
  static Parameters parse(@Nullable String input) throws JobFailure {
    if (input == null) {
      return NONE;
    }
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), input)) {
      JsonToken first = json.nextToken();
      if (first == JsonToken.START_ARRAY) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          String position = Integer.toString(values.size() + 1);
          values.put(position, value(json, position));
        }
        return new Parameters(values, false);
      }
      if (first == JsonToken.START_OBJECT) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
          String name = json.currentName();
          json.nextToken();
          values.put(name, value(json, name));
        }
        return new Parameters(values, true);
      }
    } catch (JacksonException e) {
      throw invalid("The parameters are not JSON: " + e.getOriginalMessage());
    }
    throw invalid(
        "The parameters must be an array, for '?', or an object, for names such as '$name'");
  }

  /** Refuses a value that no statement uses: the query has something else in its place. */
  void requireUsed(List<SqlStatement> statements) throws JobFailure {
    Set<String> used = new HashSet<>();
    for (SqlStatement statement : statements) {
      int questions = 0;
      for (Token token : statement.parameters()) {
        used.add(
            token.text().equals("?") ? Integer.toString(++questions) : token.text().substring(1));
      }
    }
    boolean isAnyMissing =
        isNamed
            ? !values.keySet().containsAll(used)
            : used.stream().anyMatch(name -> !name.matches("\\d{1,4}"));
    if (isAnyMissing) {
      return; // The error of the missing one names those that were passed.
    }
    for (String name : values.keySet()) {
      // The engine binds all positions up to the highest.
      boolean isBound = isNamed ? used.contains(name) : reaches(used, name);
      if (!isBound) {
        throw invalid(
            "Parameter '%s' is not used in the query: write $%s for its value, without quotes, or leave it out"
                .formatted(name, name));
      }
    }
  }

  private static boolean reaches(Set<String> used, String position) {
    int wanted = Integer.parseInt(position);
    return used.stream().anyMatch(other -> Integer.parseInt(other) >= wanted);
  }

  private static @Nullable Object value(JsonParser json, String name) throws JobFailure {
    if (!json.hasToken(JsonToken.START_ARRAY)) {
      return scalar(json, name);
    }
    List<@Nullable Object> elements = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      elements.add(scalar(json, name));
    }
    return new ListValue(elements);
  }

  private static @Nullable Object scalar(JsonParser json, String name) throws JobFailure {
    return switch (json.currentToken()) {
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> json.getString();
      case VALUE_NUMBER_INT -> integer(json.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      default ->
          throw invalid(
              "Parameter '%s' is neither a scalar nor a list of scalars: pass JSON text and use"
                      .formatted(name)
                  + " the engine's JSON functions");
    };
  }

  private static Object integer(BigInteger number) {
    return number.bitLength() < Long.SIZE ? (Object) number.longValue() : new BigDecimal(number);
  }

  static JobFailure invalid(String message) {
    return new JobFailure(ErrorCode.INVALID_INPUT, "InvalidParameters", message);
  }
}
