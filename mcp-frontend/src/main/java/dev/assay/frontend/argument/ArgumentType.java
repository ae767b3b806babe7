package dev.assay.frontend.argument;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What an argument can be: the JSON schema that is listed, and the check of what came, made side by
 * side, so that the check refuses whatever the schema does. {@link ArgumentTypes} has them.
 *
 * @param schema keywords of JSON Schema
 * @param <T> what a value is read as
 */
public record ArgumentType<T>(Map<String, Object> schema, Reader<T> reader) {
  /** Checks a value. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Reads it.
     *
     * @param name of the argument, for messages
     * @param value as it came, of any type but null
     * @throws BadArgumentException where it cannot be used
     */
    T read(String name, Object value);
  }

  /** A type that the schema says no more of than what it is in JSON. */
  ArgumentType(String jsonType, Reader<T> reader) {
    this(Map.of("type", jsonType), reader);
  }

  /** The same with another keyword in its schema. */
  public ArgumentType<T> with(String keyword, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(schema);
    more.put(keyword, value);
    return new ArgumentType<>(more, reader);
  }

  /** The same with a schema that does not tell a limit which calls do not reach. */
  public ArgumentType<T> without(String keyword) {
    Map<String, Object> less = new LinkedHashMap<>(schema);
    less.remove(keyword);
    return new ArgumentType<>(less, reader);
  }

  /** The same with a schema that allows null, which is read as no argument. */
  public ArgumentType<T> orNull() {
    return new ArgumentType<>(Map.of("anyOf", List.of(schema, Map.of("type", "null"))), reader);
  }

  /** The same with a former name of a value, which is read and not listed. */
  public ArgumentType<T> orAlias(String alias, T meaning) {
    return new ArgumentType<>(
        schema, (name, value) -> alias.equals(value) ? meaning : reader.read(name, value));
  }

  /** The same, read as something else. */
  public <R> ArgumentType<R> map(Function<T, R> function) {
    return new ArgumentType<>(schema, (name, value) -> function.apply(reader.read(name, value)));
  }
}
