package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTest {
  /** An empty line would end the event that carries a reply. */
  @Test
  void jsonBecomesOneLineWithoutControlCharactersAndHasTheSameValue() {
    assertThat(Text.jsonLine("[1,\n\n\r\t2, \"\u007f\u0085\"]"))
        .isEqualTo("[1,    2, \"\\u007f\\u0085\"]");
  }
}
