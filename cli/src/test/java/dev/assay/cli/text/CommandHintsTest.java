package dev.assay.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandHintsTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "not there: POST /api/v1/datasets makes 'my cars' | not there: 'assay datasets load \"my cars\" FILE' makes it",
        "GET /api/v1/datasets lists them | 'assay datasets ls' lists them",
        "GET /api/v1/datasets/cars shows it | 'assay datasets describe cars' shows it",
        "GET /api/v1/runs/run-1 tells | 'assay logs run-1' tells",
        "GET /api/v1/runs lists them | 'assay runs' lists them",
        "set 'replace' to true to replace it | add --replace to replace it",
        "the key is not known | the key is not known"
      })
  void requestsBecomeCommands(String said, String told) {
    assertThat(CommandHints.of(said)).isEqualTo(told);
  }
}
