package dev.assay.frontend.argument;

import dev.assay.frontend.call.OversizedValue;
import java.util.Map;
import java.util.Optional;

/** The arguments of a call. {@link Parameters#read} makes them. */
public final class Arguments {
  private final Map<String, Object> values;

  Arguments(Map<String, Object> values) {
    this.values = values;
  }

  /**
   * An argument.
   *
   * @throws BadArgumentException where it is missing or cannot be used
   */
  public <T> T get(Parameter<T> parameter) {
    return parameter.reader().read(values.get(parameter.name()));
  }

  /**
   * One that others make necessary.
   *
   * @throws BadArgumentException where it is missing or cannot be used
   */
  public <T> T require(Parameter<Optional<T>> parameter) {
    return get(parameter).orElseThrow(() -> BadArgumentException.missing(parameter.name()));
  }

  /** Whether it is there and not null. */
  public boolean has(Parameter<?> parameter) {
    return values.get(parameter.name()) != null;
  }

  /** A value that was too long to be read; empty where it was not. */
  public Optional<OversizedValue> oversized(Parameter<?> parameter, OversizedValue.Kind kind) {
    return values.get(parameter.name()) instanceof OversizedValue value && value.kind() == kind
        ? Optional.of(value)
        : Optional.empty();
  }
}
