package dev.assay.jvm.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DuplicateRowsTest {
  @Test
  void smallTablesAreCounted() {
    DuplicateRows duplicates = DuplicateRows.of(1_000_000);

    assertThat(duplicates.isExact()).isTrue();
    assertThat(duplicates.estimate(1_000_000, 999_997)).isEqualTo(3);
    assertThat(DuplicateRows.of(0).estimate(0, 0)).isZero();
  }

  @Test
  void aLargeTableWithoutDuplicatesHasNone() {
    DuplicateRows duplicates = DuplicateRows.of(10_000_000);

    assertThat(duplicates.isExact()).isFalse();
    assertThat(duplicates.parts()).isEqualTo(10);
    assertThat(duplicates.estimate(1_000_800, 1_000_800)).isZero();
    assertThat(duplicates.estimate(999_100, 999_100)).isZero();
  }

  @Test
  void rowsThatAreRepeatedOnceAreEstimatedFromThePart() {
    assertThat(DuplicateRows.of(10_000_000).estimate(1_000_000, 990_000)).isEqualTo(100_000);
  }

  @Test
  void aRowThatIsRepeatedOftenIsEstimatedFromTheOthers() {
    // Half of the rows are equal and in another part.
    assertThat(DuplicateRows.of(10_000_000).estimate(500_100, 500_100))
        .isCloseTo(5_000_000, within(10_000L));
  }

  @Test
  void aFewDifferentRowsMayAllBeInOtherParts() {
    assertThat(DuplicateRows.of(10_000_000).estimate(0, 0)).isEqualTo(9_999_999);
  }
}
