package dev.assay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodeTest {
  @ParameterizedTest
  @CsvSource({
    "Succeeded, Completed, 0",
    "Failed, CodeError, 1",
    "Failed, MemoryExceeded, 4",
    "Failed, PodLost, 4",
    "TimedOut, DeadlineExceeded, 124",
    "Cancelled, Cancelled, 130"
  })
  void tellsHowARunEnded(String phase, String reason, int code) {
    assertThat(ExitCode.ofRun(phase, reason)).isEqualTo(code);
  }
}
