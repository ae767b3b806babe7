package dev.assay.cli.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerSourcesTest {
  @Test
  void theLibraryOfCodeModeIsApartFromThePackagesOfTheRunner(@TempDir Path prefix)
      throws IOException {
    RunnerSources.read().copyTo(prefix);

    assertThat(prefix.resolve("src/assay_runner/guard.py")).isRegularFile();
    assertThat(prefix.resolve("share/assay/library/orchestrator/mcp/data.py")).isRegularFile();
    assertThat(prefix.resolve("src/orchestrator")).doesNotExist();
  }
}
