package dev.assay.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void columnsAreAsWideAsWhatIsInThem() {
    Table table = new Table("NAME", "PHASE");
    table.add("a", "Succeeded");
    table.add("longer", "");
    assertThat(table.lines())
        .containsExactly("NAME     PHASE", "a        Succeeded", "longer");
  }

  @Test
  void aRowHasACellForEachHeading() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Table("NAME").add("a", "b"));
  }
}
