package dev.assay.operator.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MediaTypesTest {
  @ParameterizedTest
  @CsvSource({
    "charts/chart.png, image/png",
    "charts/chart.plotly.json, application/json",
    "reports/REPORT.HTML, text/html",
    "a.csv.gz, application/gzip",
    "results/rows.ndjson, application/x-ndjson",
    "results/result.parquet, application/vnd.apache.parquet",
    "README, application/octet-stream",
    "data.d/README, application/octet-stream",
    ".png, application/octet-stream",
    "a., application/octet-stream",
    "a.exe, application/octet-stream",
  })
  void theExtensionOfTheNameDecides(String path, String mediaType) {
    assertThat(MediaTypes.of(path)).isEqualTo(mediaType);
  }
}
