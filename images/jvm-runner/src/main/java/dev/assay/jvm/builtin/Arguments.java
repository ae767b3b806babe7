package dev.assay.jvm.builtin;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The arguments of a built-in query. An argument that is null counts as absent. */
public final class Arguments {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int MAX_SHOWN_CHARACTERS = 64;

  private final Map<String, Object> values;

  private Arguments(Map<String, Object> values) {
    this.values = values;
  }

  /**
   * Reads a JSON object of texts, integers, booleans and arrays of texts.
   *
   * @param known the names that the query has
   */
  public static Arguments parse(@Nullable String text, Collection<String> known) throws JobFailure {
    Map<String, Object> values = new LinkedHashMap<>();
    try (JsonParser json =
        JSON.createParser(ObjectReadContext.empty(), text == null ? "{}" : text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw invalid("The arguments must be a JSON object");
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        if (!known.contains(name)) {
          throw invalid(
              "Unknown argument '%s': the arguments are %s"
                  .formatted(shown(name), String.join(", ", known)));
        }
        json.nextToken();
        Object value = value(json, name);
        if (value != null) {
          values.put(name, value);
        }
      }
    } catch (JacksonException e) {
      throw invalid("The arguments are not JSON: " + e.getOriginalMessage());
    }
    return new Arguments(values);
  }

  private static @Nullable Object value(JsonParser json, String name) throws JobFailure {
    return switch (json.currentToken()) {
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> json.getString();
      case VALUE_NUMBER_INT -> json.getBigIntegerValue();
      case START_ARRAY -> texts(json, name);
      default -> throw invalid("Argument '%s' has a value of the wrong type".formatted(name));
    };
  }

  private static List<String> texts(JsonParser json, String name) throws JobFailure {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (!json.hasToken(JsonToken.VALUE_STRING)) {
        throw invalid("Argument '%s' must be an array of texts".formatted(name));
      }
      texts.add(json.getString());
    }
    return texts;
  }

  /** A text, or null. */
  public @Nullable String optionalText(String name) throws JobFailure {
    return get(name, String.class, "a text");
  }

  /** A boolean. */
  public boolean flag(String name, boolean absent) throws JobFailure {
    Boolean value = get(name, Boolean.class, "true or false");
    return value == null ? absent : value;
  }

  /** An integer within bounds. */
  public int integer(String name, int absent, int min, int max) throws JobFailure {
    String wanted = "an integer from %d to %d".formatted(min, max);
    BigInteger value = get(name, BigInteger.class, wanted);
    if (value == null) {
      return absent;
    }
    if (value.compareTo(BigInteger.valueOf(min)) < 0
        || value.compareTo(BigInteger.valueOf(max)) > 0) {
      throw wrong(name, wanted);
    }
    return value.intValue();
  }

  /** An integer of 64 bits, or null. */
  public @Nullable Long optionalLong(String name) throws JobFailure {
    String wanted = "an integer of 64 bits";
    BigInteger value = get(name, BigInteger.class, wanted);
    if (value != null && value.bitLength() >= Long.SIZE) {
      throw wrong(name, wanted);
    }
    return value == null ? null : value.longValue();
  }

  /** An enum constant by its name in lower case. */
  public <E extends Enum<E>> E choice(String name, E absent, E[] all) throws JobFailure {
    String wanted =
        "one of " + Arrays.stream(all).map(Arguments::nameOf).collect(Collectors.joining(", "));
    String value = get(name, String.class, wanted);
    if (value == null) {
      return absent;
    }
    for (E constant : all) {
      if (nameOf(constant).equals(value)) {
        return constant;
      }
    }
    throw wrong(name, wanted);
  }

  /** The name of a constant as an argument has it. */
  public static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** An array of texts, or null. */
  public @Nullable List<String> optionalTexts(String name) throws JobFailure {
    List<?> values = get(name, List.class, "an array of texts");
    return values == null ? null : values.stream().map(String.class::cast).toList();
  }

  private <T> @Nullable T get(String name, Class<T> type, String wanted) throws JobFailure {
    Object value = values.get(name);
    if (value != null && !type.isInstance(value)) {
      throw wrong(name, wanted);
    }
    return type.cast(value);
  }

  private JobFailure wrong(String name, String wanted) {
    return invalid(
        "Argument '%s' is %s: pass %s"
            .formatted(name, shown(String.valueOf(values.get(name))), wanted));
  }

  /** A text without what a message has no room for. */
  public static String shown(String text) {
    return text.length() <= MAX_SHOWN_CHARACTERS
        ? text
        : text.substring(0, MAX_SHOWN_CHARACTERS) + "…";
  }

  /** The failure of a call whose arguments do not fit. */
  public static JobFailure invalid(String message) {
    return new JobFailure(ErrorCode.INVALID_INPUT, "InvalidArgument", message);
  }
}
