package dev.assay.frontend.argument;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of a tool or of a request body, declared once for its listing and for its check. An
 * argument that is null is an absent one.
 *
 * @param schema keywords of JSON Schema
 * @param <T> what an argument is read as
 */
public record Parameter<T>(
    String name, boolean isRequired, Map<String, Object> schema, Reader<T> reader) {
  /** Reads an argument. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Reads it.
     *
     * @param value as it came, of any type; null where it did not
     * @throws BadArgumentException where it cannot be used
     */
    T read(@Nullable Object value);
  }

  /** One that must be there. */
  public static <T> Parameter<T> required(String name, ArgumentType<T> type) {
    return new Parameter<>(
        name,
        true,
        type.schema(),
        value -> {
          if (value == null) {
            throw BadArgumentException.missing(name);
          }
          return type.reader().read(name, value);
        });
  }

  /** One that may be absent. */
  public static <T> Parameter<Optional<T>> optional(String name, ArgumentType<T> type) {
    return new Parameter<>(
        name,
        false,
        type.schema(),
        value -> value == null ? Optional.empty() : Optional.of(type.reader().read(name, value)));
  }

  /**
   * One that has a default.
   *
   * @param otherwise the default as a caller would write it, which the type has to accept
   */
  public static <T> Parameter<T> withDefault(String name, ArgumentType<T> type, Object otherwise) {
    T read = type.reader().read(name, otherwise);
    return new Parameter<>(
        name,
        false,
        type.with("default", otherwise).schema(),
        value -> value == null ? read : type.reader().read(name, value));
  }

  /** The same with a description for callers. */
  public Parameter<T> describedAs(String description) {
    Map<String, Object> more = new LinkedHashMap<>(schema);
    more.put("description", description);
    return new Parameter<>(name, isRequired, more, reader);
  }
}
