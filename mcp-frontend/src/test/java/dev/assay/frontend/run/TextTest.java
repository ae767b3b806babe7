package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
  /** An empty line would end the event that carries a reply. */
  @Test
  void jsonBecomesOneLineWithoutControlCharactersAndHasTheSameValue() {
    assertThat(Text.jsonLine("[1,\n\n\r\t2, \"\u007f\u0085\"]"))
        .isEqualTo("[1,    2, \"\\u007f\\u0085\"]");
  }

  /** Strict readers would refuse the whole reply. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "\\ud800, \uFFFD",
        "\\udc00\\ud800x, \uFFFD\uFFFDx",
        "\\uD83D\\uDE00, \\uD83D\\uDE00",
        "\\ud83d\\n, \uFFFD\\n",
        "\\\\ud800, \\\\ud800",
        "\\\\\\ud800, \\\\\uFFFD",
        "\\u00, \\u00",
        "\\, \\",
      })
  void halfOfASurrogatePairBecomesTheReplacementCharacter(String json, String expected) {
    assertThat(Text.escapedJson('"' + json)).isEqualTo('"' + expected);
  }

  @Test
  void halfOfASurrogatePairThatIsNoEscapeBecomesTheReplacementCharacterToo() {
    assertThat(Text.escapedJson("\"\uD83D\uDE00 \uD83D\"")).isEqualTo("\"\uD83D\uDE00 \uFFFD\"");
  }
}
