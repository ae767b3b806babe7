package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.frontend.Fixtures;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunLimitsTest {
  private static final RunLimits LIMITS = new RunLimits(100, 20);
  private static final AnalyticsRunSpec SPEC =
      Fixtures.run("run-a", null).getSpec().withTimeoutSeconds(null);

  @Test
  void aCallWaitsAMinuteLongerThanTheRunMayTake() {
    assertThat(LIMITS.bound(SPEC.withTimeoutSeconds(30))).isEqualTo(Duration.ofSeconds(190));
    assertThat(LIMITS.bound(SPEC.withTimeoutMillis(1_500))).isEqualTo(Duration.ofMillis(161_500));
  }

  @Test
  void aRunWithoutATimeLimitHasThatOfItsClass() {
    assertThat(LIMITS.bound(SPEC)).isEqualTo(Duration.ofSeconds(180));
  }
}
