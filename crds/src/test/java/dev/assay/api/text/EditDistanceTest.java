package dev.assay.api.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EditDistanceTest {
  @Test
  void itCountsWhatIsInsertedRemovedAndReplaced() {
    assertThat(EditDistance.between("", "")).isZero();
    assertThat(EditDistance.between("order", "order")).isZero();
    assertThat(EditDistance.between("order", "orders")).isEqualTo(1);
    assertThat(EditDistance.between("order", "")).isEqualTo(5);
    assertThat(EditDistance.between("kitten", "sitting")).isEqualTo(3);
    assertThat(EditDistance.between("sitting", "kitten")).isEqualTo(3);
  }
}
