package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.local.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IsolationDetectionTest {
  @TempDir private Path directory;

  @Test
  void whatIsFoundWorks() throws IOException {
    Isolation found = IsolationDetection.detect("python3");
    PythonInterpreter python = PythonInterpreter.find("python3");
    try (ContainerRuntime runtime = ContainerRuntime.open(found, python.executable(), directory)) {
      ContainerProcess process =
          runtime.start(
              new ContainerSpec(
                  List.of("/bin/sh", "-c", "exit 7"),
                  Map.of("PATH", "/usr/bin:/bin"),
                  "/",
                  List.of(),
                  List.of(),
                  false,
                  new ContainerSpec.User(65532, 65532, List.of()),
                  OptionalLong.empty(),
                  directory.resolve("own")));

      assertThat(process.awaitStart()).isEmpty();
      assertThat(process.onExit().join()).isEqualTo(7);
    }
  }

  @Test
  void namespacesAreTriedBeforeBubblewrapWhichHasNoLandlock() {
    assertThat(IsolationDetection.candidates()).startsWith(Isolation.NAMESPACES);
  }

  @Test
  void whoKeepsMemoryToItsLimitIsFoundByTrying() throws IOException {
    assertThat(IsolationDetection.memoryLimit(pythonWhoseHelperSays("started in a memory group")))
        .isEqualTo(MemoryLimit.CGROUP);
    assertThat(IsolationDetection.memoryLimit(pythonWhoseHelperSays("started")))
        .isEqualTo(MemoryLimit.SAMPLED);
  }

  private String pythonWhoseHelperSays(String report) throws IOException {
    Path program = directory.resolve("python");
    Programs.ofScript(
        program,
        """
        #!/bin/sh
        if [ "$2" = -c ]; then
          echo "$0"
        else
          read -r specification && echo %s >&2
        fi
        """
            .formatted(report));
    return program.toString();
  }

  @Test
  void aProgramThatIsNoPythonIsNamed() throws IOException {
    Path program = Programs.ofScript(directory.resolve("python"), "#!/bin/sh\nexit 1\n");

    assertThatThrownBy(() -> IsolationDetection.detect(program.toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(program.toString());
  }
}
