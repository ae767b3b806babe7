package dev.assay.operator.run.execution;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailedClaimsTest {
  private final FailedClaims claims = new FailedClaims();

  @Test
  void onlyTheFirstFailureOfARunIsItsFirst() {
    assertThat(claims.contain("run-1")).isFalse();
    assertThat(claims.add("run-1")).isTrue();
    assertThat(claims.add("run-2")).isTrue();
    assertThat(claims.add("run-1")).isFalse();
    assertThat(claims.contain("run-1")).isTrue();
    claims.forget("run-1");
    assertThat(claims.contain("run-1")).isFalse();
  }

  @Test
  void theOldestIsForgottenWhereThereAreTooMany() {
    for (int number = 0; number <= FailedClaims.MAX_REMEMBERED; number++) {
      claims.add("run-" + number);
    }
    assertThat(claims.contain("run-0")).isFalse();
    assertThat(claims.contain("run-1")).isTrue();
  }
}
