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

  @ParameterizedTest
  @CsvSource({
    "Umsätze,Umsatze",
    "sales (1),sales _1",
    "a/b\\c,a_b_c",
    "../x_,x",
    "ﬁne 1,fine 1",
    "数据,''",
    "'--',''"
  })
  void theNearestNameKeepsWhatANameCanHave(String text, String name) {
    assertThat(DatasetName.nearest(text)).isEqualTo(name);
  }

  @Test
  void theNearestNameOfALongTextIsValid() {
    assertThat(DatasetName.nearest("x".repeat(62) + " y".repeat(500))).isEqualTo("x".repeat(62));
  }

  @Test
  void aNameHasAtMost63Characters() {
    assertThat(DatasetName.isValid("x".repeat(63))).isTrue();
    assertThat(DatasetName.isValid("x".repeat(64))).isFalse();
  }
}
