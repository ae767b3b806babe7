package dev.assay.cli.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminalTest {
  /** Runs a command whose streams are a pseudo-terminal. */
  private static final String ON_A_TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])";

  @TempDir private Path folder;

  /** Tells what it finds in a file, since its streams are what is looked at. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) throws IOException {
      Files.writeString(
          Path.of(args[0]), Terminal.OUT.isThere() + " " + Terminal.ERR.isThere(), UTF_8);
    }
  }

  @Test
  void outputToATerminalIsRecognizedWhereTheInputIsAFile() throws Exception {
    assertThat(found("< /dev/null")).isEqualTo("true true");
  }

  @Test
  void eachStreamIsLookedAtByItself() throws Exception {
    assertThat(found("> /dev/null")).isEqualTo("false true");
    assertThat(found("2> /dev/null")).isEqualTo("true false");
  }

  private String found(String redirection) throws Exception {
    Path answer = Files.createTempFile(folder, "found", "");
    String java =
        "'%s' -XX:TieredStopAtLevel=1 -cp '%s' '%s' '%s' %s"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                Probe.class.getName(),
                answer,
                redirection);
    Process process =
        new ProcessBuilder(List.of("python3", "-c", ON_A_TERMINAL, "sh", "-c", java))
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      process.waitFor();
      return Files.readString(answer);
    } finally {
      process.destroy();
    }
  }
}
