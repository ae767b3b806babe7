package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CodeExecCommandTest {
  /** What a run may wait for its Pod, and what the endpoint takes beside it. */
  private static final Duration BESIDE = Duration.ofSeconds(390);

  @Test
  void anEndpointMayBeSilentForTheTimeOfTheScriptAndWhatComesBesideIt() {
    assertThat(silence("--code", "1", "--timeout", "2500"))
        .isEqualTo(Duration.ofMillis(2500).plus(BESIDE));
  }

  @Test
  void aScriptWithoutATimeLimitHasTheLongestThereIs() {
    assertThat(silence("--code", "1")).isEqualTo(Duration.ofSeconds(600).plus(BESIDE));
  }

  private static Duration silence(String... arguments) {
    CodeExecCommand command = new CodeExecCommand();
    new CommandLine(command).parseArgs(arguments);
    return command.silence();
  }
}
