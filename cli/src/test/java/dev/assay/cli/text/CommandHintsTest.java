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
        "'dataset' names a dataset that does not exist: POST /api/v1/datasets creates 'my cars'. | '--dataset' names a dataset that does not exist: 'assay datasets load \"my cars\" FILE' creates it.",
        "'path' ends in none of .csv, .tsv: give 'format' | '--path' ends in none of .csv, .tsv: give '--format'",
        "'path' belongs to 'volume' | '--path' belongs to '--volume'",
        "'timeoutSeconds' must be between 1 and 600, not 0 | '--timeout' must be between 1 and 600, not 0",
        "There is no dataset 'path' in your namespace | There is no dataset 'path' in your namespace",
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
