package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/**
 * Builtin work, with its arguments.
 *
 * @param name which
 * @param arguments a JSON object as text, at most {@value Bounds#MAX_ARGUMENTS_BYTES} bytes of
 *     UTF-8; the defaults of each argument when absent
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "!has(self.arguments) || size(bytes(self.arguments)) <= " + Bounds.MAX_ARGUMENTS_BYTES,
    message = "arguments are longer than " + Bounds.MAX_ARGUMENTS_BYTES + " bytes of UTF-8")
public record BuiltinSpec(
    @Required Builtin name, @Size(max = Bounds.MAX_ARGUMENTS_BYTES) @Nullable String arguments) {}
