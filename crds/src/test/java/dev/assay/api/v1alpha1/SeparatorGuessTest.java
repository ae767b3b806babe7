package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SeparatorGuessTest {
  @Test
  void theSeparatorIsInTheNameOfTheOnlyColumn() {
    assertThat(options("Datum;Filiale", "2025-01-02;Nord")).isEqualTo(Map.of("sep", ";"));
    assertThat(options("a\tb")).isEqualTo(Map.of("sep", "\t"));
    assertThat(options("a|b")).isEqualTo(Map.of("sep", "|"));
    assertThat(SeparatorGuess.of("price", List.of("1;2"))).isEmpty();
  }

  @Test
  void numbersWithPointsNeedNoDecimalOption() {
    assertThat(options("id;price", "17;3.125", "18;4.5")).isEqualTo(Map.of("sep", ";"));
  }

  @Test
  void aQuotedNumberWithACommaHasDecimalCommasAndPerhapsThousandsPoints() {
    assertThat(options("id;price", "17;3,5")).isEqualTo(Map.of("sep", ";", "decimal", ","));
    assertThat(options("id;price", "17;1.234,50"))
        .isEqualTo(Map.of("sep", ";", "decimal", ",", "thousands", "."));
  }

  @Test
  void aRowThatWasSplitAtItsDecimalCommaHasDecimalCommas() {
    assertThat(options("day;price;units", "50;7")).isEqualTo(Map.of("sep", ";", "decimal", ","));
    assertThat(options("day;price;units", "50;1.200"))
        .isEqualTo(Map.of("sep", ";", "decimal", ",", "thousands", "."));
    assertThat(options("day;note", " and more")).isEqualTo(Map.of("sep", ";"));
  }

  private static Map<String, String> options(String column, String... samples) {
    return SeparatorGuess.of(column, List.of(samples)).orElseThrow().options();
  }
}
