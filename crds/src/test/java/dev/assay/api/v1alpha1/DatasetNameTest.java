package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetNameTest {
  @ParameterizedTest
  @CsvSource({"sales_data,sales-data", "Flights,flights", "Q1 2024.v2,q1-2024-v2", "a,a"})
  void namesOfPeopleBecomeLabels(String name, String resourceName) {
    assertThat(DatasetName.toResourceName(name)).isEqualTo(resourceName);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "_x", "x_", "a/b", "../x", "a\nb", "naïve"})
  void whatCouldNotBeAMountIsRefused(String name) {
    assertThatThrownBy(() -> DatasetName.toResourceName(name))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNameHasAtMost63Characters() {
    assertThat(DatasetName.isValid("x".repeat(63))).isTrue();
    assertThat(DatasetName.isValid("x".repeat(64))).isFalse();
  }
}
