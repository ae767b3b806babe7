package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void missingLibrariesAreNotCalledOk() {
    assertThat(Machine.libraries(true).level()).isEqualTo(Machine.Level.OK);
    assertThat(Machine.libraries(false).level()).isEqualTo(Machine.Level.NOTE);
    assertThat(Machine.libraries(false).sentence()).contains("the next start fetches them");
  }
}
