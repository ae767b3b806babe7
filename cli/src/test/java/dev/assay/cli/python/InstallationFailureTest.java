package dev.assay.cli.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstallationFailureTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "WARNING: Retrying after NewConnectionError('... Temporary failure in name resolution')"
            + " | with a connection",
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
            + " | make room",
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. | another index",
        "ERROR: No matching distribution found for numpy==2.4.6 | ASSAY_PYTHON",
        "ERROR: Could not find a version that satisfies numpy (from versions: none)"
            + " ERROR: No matching distribution found for numpy | with a connection",
        "ERROR: something new | ERROR: something new"
      })
  void pipIsExplainedInOneSentenceWithTheRemedy(String said, String part) {
    assertThat(InstallationFailure.explain(List.of("Collecting numpy", said)))
        .contains(part)
        .doesNotContain("\n");
  }
}
