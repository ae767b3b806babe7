package dev.assay.frontend.argument;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.run.Text;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The arguments of a call, each checked when it is asked for. */
public final class Arguments {
  private static final Limit LABEL_LIMIT = new Limit(Bounds.MAX_LABEL);

  private final Map<String, Object> values;

  /**
   * The arguments of a call.
   *
   * @throws BadArgumentException where there is one that the tool does not have
   */
  public Arguments(Map<String, Object> values, List<String> known) {
    this.values = values;
    Set<String> unknown = new TreeSet<>(values.keySet());
    known.forEach(unknown::remove);
    if (!unknown.isEmpty()) {
      throw BadArgumentException.type(
          "unknown argument '"
              + Text.oneLine(unknown.iterator().next(), 64)
              + "'; the arguments are "
              + String.join(", ", known));
    }
  }

  /** A text that must be there. */
  public String text(String name, Limit limit) {
    return optionalText(name, limit).orElseThrow(() -> missing(name));
  }

  /** A name as Kubernetes has them that must be there. */
  public String label(String name) {
    return optionalLabel(name).orElseThrow(() -> missing(name));
  }

  private static BadArgumentException missing(String name) {
    return BadArgumentException.type("missing argument '" + name + "'");
  }

  /** A text that may be absent or null. */
  public Optional<String> optionalText(String name, Limit limit) {
    Object value = values.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof OversizedValue passedOver
        && passedOver.kind() == OversizedValue.Kind.TEXT) {
      throw BadArgumentException.tooLong(name, passedOver.bytes(), limit);
    }
    if (!(value instanceof String text)) {
      throw wrongType(name, "a string", value);
    }
    int bytes = Text.bytes(text);
    if (bytes > limit.bytes()) {
      throw BadArgumentException.tooLong(name, bytes, limit);
    }
    requireUnicode(name, text);
    return Optional.of(text);
  }

  /** Refuses a text that has no UTF-8. */
  public static void requireUnicode(String name, String text) {
    if (!UTF_8.newEncoder().canEncode(text)) {
      throw BadArgumentException.value(
          "'" + name + "' is not valid Unicode: it has half of a surrogate pair");
    }
  }

  /** A name as Kubernetes has them, of a class or a volume, that may be absent or null. */
  public Optional<String> optionalLabel(String name) {
    Optional<String> label = optionalText(name, LABEL_LIMIT);
    if (label.isPresent() && !label.get().matches(Bounds.LABEL_PATTERN)) {
      throw BadArgumentException.value(
          "'" + name + "' must be a name of lower-case letters, digits and '-'");
    }
    return label;
  }

  /** A whole number that may be absent or null; 30.0 is one, "30" is not. */
  public Optional<Integer> optionalInteger(String name, int min, int max) {
    Object value = values.get(name);
    if (value == null) {
      return Optional.empty();
    }
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
    return Optional.of(whole);
  }

  /** A truth value; absent or null is false. */
  public boolean flag(String name) {
    Object value = values.get(name);
    if (value == null) {
      return false;
    }
    if (!(value instanceof Boolean flag)) {
      throw wrongType(name, "true or false", value);
    }
    return flag;
  }

  /** An array that may be absent or null. The limit is told where it was too long to be read. */
  public Optional<List<?>> optionalList(String name, Limit limit) {
    Object value = values.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof OversizedValue passedOver
        && passedOver.kind() == OversizedValue.Kind.ARRAY) {
      throw BadArgumentException.tooLong(name, passedOver.bytes(), limit);
    }
    if (!(value instanceof List<?> list)) {
      throw wrongType(name, "an array", value);
    }
    return Optional.of(list);
  }

  /**
   * An array of texts that may be absent or null, which is an empty one.
   *
   * @param max how many
   * @param limit of each, and of the array where it was too long to be read
   */
  public List<String> texts(String name, int max, Limit limit) {
    List<?> given = optionalList(name, limit).orElse(List.of());
    if (given.size() > max) {
      throw BadArgumentException.value("'" + name + "' has more than " + max + " members");
    }
    List<String> texts = new ArrayList<>();
    for (Object value : given) {
      String member = name + "[" + texts.size() + "]";
      if (value == null) {
        throw BadArgumentException.type("'" + member + "' must be a string, not null");
      }
      texts.add(new Arguments(Map.of(member, value), List.of(member)).text(member, limit));
    }
    return List.copyOf(texts);
  }

  /** An object that may be absent or null. The limit is told where it was too long to be read. */
  public Optional<Map<?, ?>> optionalObject(String name, Limit limit) {
    Object value = values.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof OversizedValue passedOver
        && passedOver.kind() == OversizedValue.Kind.OBJECT) {
      throw BadArgumentException.tooLong(name, passedOver.bytes(), limit);
    }
    if (!(value instanceof Map<?, ?> object)) {
      throw wrongType(name, "an object", value);
    }
    return Optional.of(object);
  }

  /** A value that was too long to be read; empty where it was not. */
  public Optional<OversizedValue> optionalOversized(String name, OversizedValue.Kind kind) {
    return values.get(name) instanceof OversizedValue value && value.kind() == kind
        ? Optional.of(value)
        : Optional.empty();
  }

  /** Whether an argument is there and not null. */
  public boolean has(String name) {
    return values.get(name) != null;
  }

  public static BadArgumentException wrongType(String name, String wanted, Object value) {
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
