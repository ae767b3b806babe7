package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImmutabilityRuleTest {
  private static final String B_IS_AS_IT_WAS =
      "has(self.b) == has(oldSelf.b) && (!has(self.b) || self.b == oldSelf.b)";

  @ImmutableExcept(value = "b", message = "")
  private record Spec(String a, String b, int c) {}

  @Test
  void everyFieldButTheNamedOnesIsImmutable() {
    assertThat(ImmutabilityRule.rule(Spec.class, List.of("a", "c"))).isEqualTo(B_IS_AS_IT_WAS);
    assertThat(ImmutabilityRule.rule(Spec.class, List.of("c")))
        .isEqualTo(B_IS_AS_IT_WAS.replace(".b", ".a") + " && " + B_IS_AS_IT_WAS);
  }

  @Test
  void aFieldThatTheSpecDoesNotHaveIsAMistake() {
    assertThatThrownBy(() -> ImmutabilityRule.rule(Spec.class, List.of("d")))
        .hasMessageContaining("[d]");
  }

  @Test
  void aSpecThatIsMutableGetsNoRule() {
    JSONSchemaProps schema = new JSONSchemaProps();
    ImmutabilityRule.add(schema, DatasetSpec.class);
    assertThat(schema.getXKubernetesValidations()).isEmpty();
    ImmutabilityRule.add(schema, Spec.class);
    assertThat(schema.getXKubernetesValidations()).hasSize(1);
  }
}
