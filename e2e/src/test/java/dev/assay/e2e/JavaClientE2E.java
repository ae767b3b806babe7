package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The Java SDK of MCP, with which the other scenarios call tools, through a whole analysis. */
@Everywhere
class JavaClientE2E {
  @Test
  void anAnalysisWorksFromTheQueryToTheDownload(Assay assay) {
    Samples.sales(assay);
    ClientAnalysis.assertWorks(OutsideClient.java(assay));
    assertThat(assay.resources()).isNotEmpty();
  }
}
