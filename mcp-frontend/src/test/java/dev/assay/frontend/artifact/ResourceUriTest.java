package dev.assay.frontend.artifact;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceUriTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"a.png", "reports/a b.html", "ä/50%+1.csv", "a?b#c&d=e", "with:colon/and;semi"})
  void anAddressLeadsBackToItsPath(String path) {
    ResourceUri.File file = new ResourceUri.File("run-a", path);

    assertThat(ResourceUri.parse(file.text())).contains(file);
    assertThat(file.text()).matches("[!-~]+").doesNotContain("?", "#", " ");
  }

  @Test
  void codeAndOutputHaveAddresses() {
    assertThat(ResourceUri.parse("assay://runs/run-a/code"))
        .contains(new ResourceUri.Code("run-a"));
    assertThat(ResourceUri.parse("assay://runs/run-a/output"))
        .contains(new ResourceUri.Output("run-a"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "https://example.com",
        "assay://runs/",
        "assay://runs/run-a",
        "assay://runs/run-a/artifacts",
        "assay://runs/run-a/artifacts/",
        "assay://runs/run-a/artifacts/%",
        "assay://runs/run-a/code/more",
        "assay://runs/../secrets/code",
        "assay://runs/Run/code",
        "assay://datasets/a"
      })
  void anythingElseIsNone(String text) {
    assertThat(ResourceUri.parse(text)).isEmpty();
  }

  @Test
  void aLongOneIsNone() {
    assertThat(ResourceUri.parse("assay://runs/run-a/artifacts/" + "a".repeat(1_200))).isEmpty();
  }
}
