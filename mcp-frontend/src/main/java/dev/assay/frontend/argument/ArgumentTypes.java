package dev.assay.frontend.argument;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.run.Text;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/** The types of arguments that tools and REST have in common. */
public final class ArgumentTypes {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String ALL = "*";
  private static final Limit LABEL_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Limit CHOICE_LIMIT = new Limit(64);

  private static final Limit TIME_ZONE_LIMIT = new Limit(Bounds.MAX_TIME_ZONE);

  private ArgumentTypes() {}

  /** A text. JSON Schema has no word for a limit in bytes: the description may tell it. */
  public static ArgumentType<String> text(Limit limit) {
    return new ArgumentType<>("string", (name, value) -> text(name, value, limit));
  }

  /** A name as Kubernetes has them, of a class or a volume. */
  public static ArgumentType<String> label() {
    return new ArgumentType<>(
        "string",
        (name, value) -> {
          String label = text(name, value, LABEL_LIMIT);
          if (!label.matches(Bounds.LABEL_PATTERN)) {
            throw BadArgumentException.value(
                "'" + name + "' must be a name of lower-case letters, digits and '-'");
          }
          return label;
        });
  }

  /** A name as {@link #label()} takes it, or {@code *} for all that there are. */
  public static ArgumentType<String> labelOrAll() {
    ArgumentType<String> label = label();
    return new ArgumentType<>(
        "string", (name, value) -> ALL.equals(value) ? ALL : label.reader().read(name, value));
  }

  /** A name of the IANA time zone database, which has regions and no offsets. */
  public static ArgumentType<String> timeZone() {
    return new ArgumentType<>(
        "string",
        (name, value) -> {
          String zone = text(name, value, TIME_ZONE_LIMIT);
          if (!ZoneId.getAvailableZoneIds().contains(zone) || zone.startsWith("SystemV/")) {
            throw BadArgumentException.value(
                "'" + name + "' must be a name of the IANA database, such as America/New_York");
          }
          return zone;
        });
  }

  /** A whole number; 30.0 is one, "30" is not. */
  public static ArgumentType<Integer> integer(int min, int max) {
    return new ArgumentType<>("integer", (name, value) -> integer(name, value, min, max))
        .with("minimum", min)
        .with("maximum", max);
  }

  /** A whole number from 0 on. */
  public static ArgumentType<Integer> notNegative() {
    return integer(0, Integer.MAX_VALUE).without("maximum");
  }

  /** A truth value. */
  public static ArgumentType<Boolean> flag() {
    return new ArgumentType<>(
        "boolean",
        (name, value) -> {
          if (!(value instanceof Boolean flag)) {
            throw wrongType(name, "true or false", value);
          }
          return flag;
        });
  }

  /** One of a few values, by its name. */
  public static <T> ArgumentType<T> choice(List<T> all, Function<T, String> nameOf) {
    List<String> names = all.stream().map(nameOf).toList();
    return new ArgumentType<>(
            "string",
            (name, value) -> {
              int chosen = names.indexOf(text(name, value, CHOICE_LIMIT));
              if (chosen < 0) {
                throw BadArgumentException.value(
                    "'"
                        + name
                        + "' must be "
                        + (names.size() > 1 ? "one of " : "")
                        + String.join(", ", names));
              }
              return all.get(chosen);
            })
        .with("enum", names);
  }

  /**
   * An array.
   *
   * @param member what each of its members is
   * @param limit of the array, where it was too long to be read
   */
  public static <T> ArgumentType<List<T>> listOf(ArgumentType<T> member, Limit limit) {
    return new ArgumentType<List<T>>(
            "array",
            (name, value) -> {
              requireShort(name, value, OversizedValue.Kind.ARRAY, limit);
              if (!(value instanceof List<?> list)) {
                throw wrongType(name, "an array", value);
              }
              return members(name, list, member);
            })
        .with("items", member.schema());
  }

  /** The same with a limit to the number of its members. */
  public static <T> ArgumentType<List<T>> listOf(ArgumentType<T> member, int max, Limit limit) {
    ArgumentType<List<T>> unlimited = listOf(member, limit);
    return new ArgumentType<>(
            unlimited.schema(),
            (name, value) -> {
              if (value instanceof List<?> list && list.size() > max) {
                throw BadArgumentException.value(
                    "'" + name + "' has more than " + max + " elements");
              }
              return unlimited.reader().read(name, value);
            })
        .with("maxItems", max);
  }

  private static <T> List<T> members(String name, List<?> list, ArgumentType<T> type) {
    List<T> members = new ArrayList<>(list.size());
    for (Object value : list) {
      String member = name + "[" + members.size() + "]";
      if (value == null) {
        throw BadArgumentException.type(
            "'" + member + "' must be " + withArticle(type) + ", not null");
      }
      members.add(type.reader().read(member, value));
    }
    return members;
  }

  private static String withArticle(ArgumentType<?> type) {
    return "object".equals(type.schema().get("type")) ? "an object" : "a string";
  }

  /**
   * An object.
   *
   * @param limit where it was too long to be read
   */
  public static ArgumentType<Map<?, ?>> object(Limit limit) {
    return new ArgumentType<>(
        "object",
        (name, value) -> {
          requireShort(name, value, OversizedValue.Kind.OBJECT, limit);
          if (!(value instanceof Map<?, ?> object)) {
            throw wrongType(name, "an object", value);
          }
          return object;
        });
  }

  /** An object with parameters of its own. */
  public static ArgumentType<Arguments> objectOf(Parameters parameters, Limit limit) {
    return new ArgumentType<>(
        parameters.jsonSchema(),
        (name, value) -> {
          Map<String, Object> members = new LinkedHashMap<>();
          object(limit)
              .reader()
              .read(name, value)
              .forEach((member, one) -> members.put(String.valueOf(member), one));
          return parameters.read(members);
        });
  }

  /** In one order: a list of tools that changes would end the caching of prompts. */
  private static Map<String, Object> anyArray() {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "array");
    schema.put("items", Map.of());
    return schema;
  }

  /**
   * An array or an object of anything.
   *
   * @param limit where it was too long to be read
   */
  public static ArgumentType<Object> json(Limit limit) {
    return new ArgumentType<>(
        // Not a list of types, and no array without items: some clients reject either.
        Map.of("anyOf", List.of(anyArray(), Map.of("type", "object"))),
        (name, value) -> {
          requireShort(name, value, OversizedValue.Kind.ARRAY, limit);
          requireShort(name, value, OversizedValue.Kind.OBJECT, limit);
          if (!(value instanceof List<?>) && !(value instanceof Map<?, ?>)) {
            throw wrongType(name, "an array or an object", value);
          }
          return value;
        });
  }

  private static String text(String name, Object value, Limit limit) {
    requireShort(name, value, OversizedValue.Kind.TEXT, limit);
    if (!(value instanceof String text)) {
      throw wrongType(name, "a string", value);
    }
    int bytes = Text.bytes(text);
    if (bytes > limit.bytes()) {
      throw BadArgumentException.tooLong(name, bytes, limit);
    }
    requireUnicode(name, text);
    return text;
  }

  /**
   * The JSON text of an argument that was read as maps and lists.
   *
   * @throws BadArgumentException where it is too long, or has no UTF-8
   */
  public static String jsonText(String name, Object value, Limit limit) {
    requireRead(name, value, limit);
    String text = JSON.writeValueAsString(value);
    int bytes = Text.bytes(text);
    if (bytes > limit.bytes()) {
      throw BadArgumentException.tooLong(name, bytes, limit);
    }
    requireUnicode(name, text);
    return text;
  }

  /** A part of it may have been too long to be read. */
  private static void requireRead(String name, Object value, Limit limit) {
    if (value instanceof OversizedValue passedOver) {
      throw BadArgumentException.tooLong(name, passedOver.bytes(), limit);
    }
    if (value instanceof Map<?, ?> object) {
      object.values().stream()
          .filter(Objects::nonNull)
          .forEach(part -> requireRead(name, part, limit));
    }
  }

  /** Refuses a text that has no UTF-8. */
  public static void requireUnicode(String name, String text) {
    if (!UTF_8.newEncoder().canEncode(text)) {
      throw BadArgumentException.value(
          "'" + name + "' is not valid Unicode: it has half of a surrogate pair");
    }
  }

  private static int integer(String name, Object value, int min, int max) {
    if (!(value instanceof Number number)) {
      throw wrongType(name, "a whole number", value);
    }
    int whole;
    try {
      whole = new BigDecimal(number.toString()).intValueExact();
    } catch (ArithmeticException e) {
      throw BadArgumentException.value(
          "'" + name + "' must be a whole number between " + min + " and " + max);
    }
    if (whole < min || whole > max) {
      throw BadArgumentException.value(
          "'" + name + "' must be between " + min + " and " + max + ", not " + whole);
    }
    return whole;
  }

  /** Names the limit of a value that was too long to be read, where it is one of the right kind. */
  private static void requireShort(
      String name, Object value, OversizedValue.Kind kind, Limit limit) {
    if (value instanceof OversizedValue passedOver && passedOver.kind() == kind) {
      throw BadArgumentException.tooLong(name, passedOver.bytes(), limit);
    }
  }

  private static BadArgumentException wrongType(String name, String wanted, Object value) {
    String given =
        switch (value) {
          case String text -> "a string";
          case Boolean flag -> "a truth value";
          case Number number -> "a number";
          case List<?> list -> "an array";
          case OversizedValue passedOver -> given(passedOver);
          default -> "an object";
        };
    return BadArgumentException.type("'" + name + "' must be " + wanted + ", not " + given);
  }

  private static String given(OversizedValue passedOver) {
    String kind =
        switch (passedOver.kind()) {
          case TEXT -> "a string";
          case ARRAY -> "an array";
          case OBJECT -> "an object";
        };
    return kind + " of " + passedOver.bytes() + " bytes";
  }
}
