package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What is made of the reports of helpers. */
class ContainerProcessTest {
  @Test
  void withoutAMemoryGroupNobodyKeepsTheLimit() throws IOException {
    ContainerProcess process = helper("echo started >&2; exit 137");

    assertThat(process.awaitStart()).isEmpty();
    assertThat(process.keepsMemoryLimit()).isFalse();
    assertThat(process.onExit().join()).isEqualTo(137);
    assertThat(process.ranOutOfMemory()).isFalse();
  }

  @Test
  void aMemoryGroupThatHeldEndsAsTheContainerDoes() throws IOException {
    ContainerProcess process = helper("echo started in a memory group >&2; exit 3");

    assertThat(process.awaitStart()).isEmpty();
    assertThat(process.keepsMemoryLimit()).isTrue();
    assertThat(process.onExit().join()).isEqualTo(3);
    assertThat(process.ranOutOfMemory()).isFalse();
  }

  @Test
  void aMemoryGroupThatRanOutSaysSo() throws IOException {
    ContainerProcess process =
        helper("echo started in a memory group >&2; echo out of memory >&2; exit 137");

    assertThat(process.awaitStart()).isEmpty();
    assertThat(process.onExit().join()).isEqualTo(137);
    assertThat(process.ranOutOfMemory()).isTrue();
  }

  @Test
  void anythingElseIsAProblem() throws IOException {
    assertThat(helper("echo no such file >&2").awaitStart()).hasValue("no such file");
    assertThat(helper("exit 1").awaitStart().orElseThrow()).contains("ended before");
  }

  private static ContainerProcess helper(String script) throws IOException {
    return new ContainerProcess(new ProcessBuilder("/bin/sh", "-c", script).start());
  }
}
