package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "sales_2025.csv, sales_2025.csv",
        "my cars, 'my cars'",
        "it's, 'it'\\''s'",
        "$(x), '$(x)'"
      })
  void anArgumentIsQuotedWhereAShellWouldChangeIt(String argument, String quoted) {
    assertThat(Shell.quoted(argument)).isEqualTo(quoted);
  }
}
