package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
                  directory.resolve("own")));

      assertThat(process.awaitStart()).isEmpty();
      assertThat(process.onExit().join()).isEqualTo(7);
    }
  }

  @Test
  void aProgramThatIsNoPythonIsNamed() throws IOException {
    Path program = Files.writeString(directory.resolve("python"), "#!/bin/sh\nexit 1\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();

    assertThatThrownBy(() -> IsolationDetection.detect(program.toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(program.toString());
  }
}
