package dev.assay.cli.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TerminalTextTest {
  private static final String HOSTILE = "a\u001b[2Jb\rc\u009bd\u007f\tä\n";

  @Test
  void aTerminalGetsNoControlCharacters() throws IOException {
    assertThat(copy(true)).doesNotContain("\u001b", "\r", "\u009b", "\u007f");
    assertThat(copy(true)).startsWith("a?[2Jb?c").endsWith("\tä\n");
  }

  @Test
  void aFileGetsEveryByte() throws IOException {
    assertThat(copy(false)).isEqualTo(HOSTILE);
  }

  @Test
  void aControlCharacterMayComeInTwoParts() {
    byte[] first = {(byte) 0xc2};
    byte[] second = {(byte) 0x9b};
    int last = TerminalText.clean(first, 1, 0);
    last = TerminalText.clean(second, 1, last);
    assertThat(last).isEqualTo(0x9b);
    assertThat(second).containsExactly('?');
  }

  private static String copy(boolean clean) throws IOException {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    byte[] bytes = HOSTILE.getBytes(UTF_8);
    assertThat(TerminalText.copy(new ByteArrayInputStream(bytes), to, clean))
        .isEqualTo(bytes.length);
    return to.toString(UTF_8);
  }
}
