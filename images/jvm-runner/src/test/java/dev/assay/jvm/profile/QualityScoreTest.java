package dev.assay.jvm.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class QualityScoreTest {
  @Test
  void aCompleteTableHas100() {
    assertThat(QualityScore.of(List.of(0.0, 0.0), 0)).isEqualTo(100);
  }

  @Test
  void aColumnWithNullsCosts5AndWithMoreThanATenth10More() {
    assertThat(QualityScore.of(List.of(0.1, 0.0), 0)).isEqualTo(95);
    assertThat(QualityScore.of(List.of(0.11, 0.01), 0)).isEqualTo(80);
  }

  @Test
  void duplicateRowsCostUpTo20() {
    assertThat(QualityScore.of(List.of(0.0), 0.25)).isEqualTo(95);
    assertThat(QualityScore.of(List.of(0.0), 1)).isEqualTo(80);
  }

  @Test
  void theScoreIsNotNegative() {
    assertThat(QualityScore.of(Collections.nCopies(30, 0.5), 0.5)).isZero();
  }
}
