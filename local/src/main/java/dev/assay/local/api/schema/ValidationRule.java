package dev.assay.local.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.Program;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One of the {@code x-kubernetes-validations}, compiled. */
final class ValidationRule {
  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("self", SimpleType.DYN)
          .addVar("oldSelf", SimpleType.DYN)
          .addLibraries(CelExtensions.strings())
          .build();
  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.plannerRuntimeBuilder().addLibraries(CelExtensions.strings()).build();
  private static final Set<String> KEYWORDS = Set.of("rule", "message");
  private static final Pattern OLD = Pattern.compile("\\boldSelf\\b");

  private final Program program;
  private final String message;
  private final boolean isTransition;

  private ValidationRule(Program program, String message, boolean isTransition) {
    this.program = program;
    this.message = message;
    this.isTransition = isTransition;
  }

  static ValidationRule compile(JsonNode validation) {
    validation
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!KEYWORDS.contains(name)) {
                throw new IllegalArgumentException("A rule's " + name + " is not known");
              }
            });
    String rule = validation.path("rule").asText();
    try {
      return new ValidationRule(
          RUNTIME.createProgram(COMPILER.compile(rule).getAst()),
          validation.path("message").asText("failed rule: " + rule),
          OLD.matcher(rule).find());
    } catch (CelValidationException | CelEvaluationException e) {
      throw new IllegalArgumentException("This rule cannot be compiled: " + rule, e);
    }
  }

  /** What is wrong with a value; a rule about a change says nothing where there was none. */
  Optional<String> check(Object self, @Nullable Object oldSelf) {
    if (isTransition && oldSelf == null) {
      return Optional.empty();
    }
    try {
      Object holds =
          program.eval(
              oldSelf == null ? Map.of("self", self) : Map.of("self", self, "oldSelf", oldSelf));
      return Boolean.TRUE.equals(holds) ? Optional.empty() : Optional.of(message);
    } catch (CelEvaluationException e) {
      return Optional.of("rule could not be evaluated: " + e.getMessage());
    }
  }
}
