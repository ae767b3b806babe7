package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The image has fonts that a machine of local mode may lack. */
@Core
class FontsE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void aChartHasTheLettersOfChineseJapaneseAndKorean(Assay assay) {
    Reply reply =
        Query.sql(assay, "SELECT unnest(['東京', '서울', '北京']) AS \"都市\", 1 AS n")
            .with("chart_type", "bar")
            .reply()
            .orFail();
    assertThat(reply.text()).contains("chart: bar, x 都市, y n, 3 points\n");
  }

  @Test
  void aPlotOfCodeHasThemToo(Assay assay) {
    String code =
        """
        import matplotlib.pyplot as plt
        plt.bar(["東京", "서울"], [1, 2])
        plt.show()
        """;
    // Matplotlib warns about letters that its fonts lack.
    assertThat(assay.run("sales_data", code).orFail().text())
        .startsWith("Plot saved as artifacts/figure-1.png\n[files in assay://runs/");
  }
}
