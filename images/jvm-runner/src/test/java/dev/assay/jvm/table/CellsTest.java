package dev.assay.jvm.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CellsTest {
  @Test
  void aLargeCellIsCutAtTheSameCharacterAsInPython() {
    String shortened = Cells.shortened("a\"\\\n\u0001é€😀".repeat(1000), Cells.MAX_CELL_BYTES);

    assertThat(shortened.codePointCount(0, shortened.length())).isEqualTo(185 * 8 + 7 + 1);
    assertThat(shortened).endsWith("€…");
  }

  @Test
  void aCellThatFitsIsUnchanged() {
    String text = "é".repeat((Cells.MAX_CELL_BYTES - 5) / 2);

    assertThat(Cells.shortened(text, Cells.MAX_CELL_BYTES)).isEqualTo(text);
  }
}
