package dev.assay.api.v1alpha1;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The rule of a spec that is {@link ImmutableExcept}. */
final class ImmutabilityRule {
  private ImmutabilityRule() {}

  /** Adds the rule to the schema of a spec, if the spec is immutable. */
  static void add(JSONSchemaProps schema, Class<?> spec) {
    ImmutableExcept immutable = spec.getAnnotation(ImmutableExcept.class);
    if (immutable != null) {
      schema
          .getXKubernetesValidations()
          .add(
              new ValidationRuleBuilder()
                  .withRule(rule(spec, List.of(immutable.value())))
                  .withMessage(immutable.message())
                  .build());
    }
  }

  /** Whether each field is as it was, in CEL. */
  static String rule(Class<?> spec, List<String> mutable) {
    List<String> fields =
        Arrays.stream(spec.getRecordComponents()).map(RecordComponent::getName).toList();
    if (!fields.containsAll(mutable)) {
      throw new IllegalStateException(spec + " does not have all fields of " + mutable);
    }
    return fields.stream()
        .filter(field -> !mutable.contains(field))
        .map(ImmutabilityRule::unchanged)
        .collect(Collectors.joining(" && "));
  }

  /** A field that is absent stays absent. */
  private static String unchanged(String field) {
    return "has(self.%1$s) == has(oldSelf.%1$s) && (!has(self.%1$s) || self.%1$s == oldSelf.%1$s)"
        .formatted(field);
  }
}
