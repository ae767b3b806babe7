package dev.assay.cli.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SystemPythonTest {
  @Test
  void thePythonOfTheImageNeedsNoNote() {
    assertThat(python("3.11.9").difference()).isEmpty();
  }

  @Test
  void anotherPythonIsNamedWithTheOneOfTheImage() {
    assertThat(python("3.13.2").difference())
        .hasValueSatisfying(
            sentence -> assertThat(sentence).contains("Python 3.13.2", "3.11", "ASSAY_PYTHON"));
    assertThat(python("3.1.9").difference()).isPresent();
  }

  @Test
  void theVersionOfTheImageIsTheOneOfItsContainerfile() throws IOException {
    assertThat(Files.readString(Path.of("../images/runner/Containerfile")))
        .contains("/usr/local/lib/python" + SystemPython.IMAGE_VERSION + "/dist-packages");
  }

  private static SystemPython python(String version) {
    return new SystemPython(Path.of("/usr/bin/python3"), version, version);
  }
}
