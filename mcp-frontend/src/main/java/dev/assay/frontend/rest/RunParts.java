package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.frontend.argument.ArgumentType;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Fields of a run that are JSON themselves, and text in its object. */
final class RunParts {
  private static final Limit ARGUMENTS_LIMIT = new Limit(Bounds.MAX_ARGUMENTS_BYTES);
  private static final Limit INPUT_LIMIT = new Limit(Bounds.MAX_INPUT_BYTES);

  private static final Parameter<Builtin> NAME =
      Parameter.required(
          "name", ArgumentTypes.choice(KnownValues.of(Builtin.class), Builtin::wireName));
  private static final Parameter<Optional<Map<?, ?>>> ARGUMENTS =
      Parameter.optional("arguments", ArgumentTypes.object(ARGUMENTS_LIMIT));

  /** Of the object {@code builtin}. */
  static final Parameters BUILTIN_FIELDS = Parameters.of(NAME, ARGUMENTS);

  /** Builtin work with its arguments. */
  static final ArgumentType<BuiltinSpec> BUILTIN =
      ArgumentTypes.object(ARGUMENTS_LIMIT).map(RunParts::builtin);

  /** An array or an object. */
  static final ArgumentType<String> INPUT =
      ArgumentTypes.json(INPUT_LIMIT)
          .map(value -> ArgumentTypes.jsonText("input", value, INPUT_LIMIT));

  private RunParts() {}

  private static BuiltinSpec builtin(Map<?, ?> object) {
    Map<String, Object> members = new LinkedHashMap<>();
    object.forEach((name, value) -> members.put(String.valueOf(name), value));
    Arguments fields = BUILTIN_FIELDS.read(members);
    return new BuiltinSpec(
        fields.get(NAME),
        fields
            .get(ARGUMENTS)
            .map(
                arguments ->
                    ArgumentTypes.jsonText("builtin.arguments", arguments, ARGUMENTS_LIMIT))
            .orElse(null));
  }
}
