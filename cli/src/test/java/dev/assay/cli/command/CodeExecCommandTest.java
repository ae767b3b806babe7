package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CodeExecCommandTest {
  /** What a run may wait for its Pod, and what the endpoint takes beside it. */
  private static final Duration BESIDE = Duration.ofSeconds(390);

  @Test
  void anEndpointMayBeSilentForTheTimeOfTheScriptAndWhatComesBesideIt() throws Exception {
    assertThat(silence("--code", "1", "--timeout", "2500"))
        .isEqualTo(Duration.ofMillis(2500).plus(BESIDE));
  }

  @Test
  void aScriptWithoutATimeLimitHasTheLongestThereIs() throws Exception {
    assertThat(silence("--code", "1")).isEqualTo(Duration.ofSeconds(600).plus(BESIDE));
  }

  /** By reflection: to see it from outside, a test would have to wait so long. */
  private static Object silence(String... arguments) throws Exception {
    CodeExecCommand command = new CodeExecCommand();
    new CommandLine(command).parseArgs(arguments);
    Method silence = CodeExecCommand.class.getDeclaredMethod("silence");
    silence.setAccessible(true);
    return silence.invoke(command);
  }
}
