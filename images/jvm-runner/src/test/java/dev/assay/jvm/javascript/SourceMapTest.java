package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SourceMapTest {
  /** Of two lines of text, from lines 1 and 3. */
  private static final String MAPPINGS = "AAAA,MAAM,IAAY;AAElB,IAAI";

  @Test
  void aPlaceIsThatOfTheSegmentThatBeginsBeforeIt() {
    SourceMap map = new SourceMap(() -> MAPPINGS);

    assertThat(map.original(new Position(1, 1))).isEqualTo(new Position(1, 1));
    assertThat(map.original(new Position(1, 7))).isEqualTo(new Position(1, 7));
    assertThat(map.original(new Position(1, 12))).isEqualTo(new Position(1, 19));
    assertThat(map.original(new Position(2, 1))).isEqualTo(new Position(3, 1));
    assertThat(map.original(new Position(2, 9))).isEqualTo(new Position(3, 5));
  }

  @Test
  void aLineWithoutSegmentsHasThePlaceOfTheLineBefore() {
    SourceMap map = new SourceMap(() -> "AAAA;;;");

    assertThat(map.original(new Position(3, 5))).isEqualTo(new Position(1, 1));
    assertThat(map.original(new Position(90, 5))).isEqualTo(new Position(1, 1));
    assertThat(new SourceMap(() -> "").original(new Position(2, 2))).isEqualTo(new Position(1, 1));
  }

  @Test
  void numbersOfSeveralDigitsAndBelowZeroAreRead() {
    // 16 is "gB", -1 is "D".
    SourceMap map = new SourceMap(() -> "AAAgB,gBAAD");

    assertThat(map.original(new Position(1, 1))).isEqualTo(new Position(1, 17));
    assertThat(map.original(new Position(1, 17))).isEqualTo(new Position(1, 16));
  }
}
