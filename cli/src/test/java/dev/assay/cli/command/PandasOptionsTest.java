package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PandasOptionsTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "sep | ; | {\"sep\":\";\"}",
        "skiprows | 2 | {\"skiprows\":2}",
        "parse_dates | Datum | {\"parse_dates\":[\"Datum\"]}",
        "parse_dates | [\"a\",\"b\"] | {\"parse_dates\":[\"a\",\"b\"]}",
        "na_values | 999 | {\"na_values\":[\"999\"]}",
        "convert_dates | false | {\"convert_dates\":false}",
        "convert_dates | day | {\"convert_dates\":[\"day\"]}"
      })
  void oneTextWhereAListIsNeededBecomesAList(String name, String text, String json) {
    assertThat(PandasOptions.json(Map.of(name, text))).hasToString(json);
  }
}
