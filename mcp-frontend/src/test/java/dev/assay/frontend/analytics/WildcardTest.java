package dev.assay.frontend.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WildcardTest {
  @ParameterizedTest
  @CsvSource({
    "sales_*, sales_2024, true",
    "sales_*, sales_, true",
    "sales_*, sale, false",
    "*, anything, true",
    "*.csv, a.csv, true",
    "*.csv, a.csv.gz, false",
    "a*b*c, axxbyyc, true",
    "a*b*c, axxcyyb, false",
    "sales_202?, sales_2024, true",
    "sales_202?, sales_202, false",
    "sales_202[34], sales_2023, true",
    "sales_202[34], sales_2025, false",
    "sales_202[!34], sales_2025, true",
    "sales_202[0-4], sales_2023, true",
    "sales_202[0-4], sales_2025, false",
    "a[b, a[b, true",
    "a[b, ab, false",
    "a, A, false",
  })
  void aPatternMatchesAsThatOfAShell(String pattern, String text, boolean matches) {
    assertThat(new Wildcard(pattern).matches(text)).isEqualTo(matches);
  }

  @Test
  void aPatternOfManyStarsIsNotSlow() {
    assertThat(new Wildcard("*a".repeat(2_000) + "b").matches("a".repeat(4_000))).isFalse();
  }

  @Test
  void onlyWhatHasAMeaningMakesAPattern() {
    assertThat(Wildcard.isPattern("sales_2024.csv")).isFalse();
    assertThat(Wildcard.isPattern("sales_*")).isTrue();
    assertThat(Wildcard.isPattern("[x]")).isTrue();
  }
}
