package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;

class CreationOrderTest {
  @Test
  void theSecondDecidesAndWithinItTheResourceVersion() {
    assertThat(order("2026-01-01T00:00:00Z", "900")).isLessThan(order("2026-01-01T00:00:01Z", "5"));
    assertThat(order("2026-01-01T00:00:00Z", "9")).isLessThan(order("2026-01-01T00:00:00Z", "10"));
  }

  @Test
  void objectsOfASecondAreAsOldAsEachOtherWhereTheirVersionsAreNoNumbers() {
    assertThat(order("2026-01-01T00:00:00Z", "a"))
        .isEqualByComparingTo(order("2026-01-01T00:00:00Z", "b"))
        .isLessThan(order("2026-01-01T00:00:00Z", "1"));
  }

  private static CreationOrder order(String created, String version) {
    return CreationOrder.of(
        new ConfigMapBuilder()
            .withNewMetadata()
            .withCreationTimestamp(created)
            .withResourceVersion(version)
            .endMetadata()
            .build());
  }
}
