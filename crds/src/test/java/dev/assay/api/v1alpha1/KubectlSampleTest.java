package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KubectlSampleTest {
  private static final Path PAGE = Path.of("../docs/operate.md");

  @Test
  void theSampleOnThePageHasTheColumnsOfTheCrd() throws IOException {
    List<String> lines = Files.readAllLines(PAGE);
    String heading =
        lines.get(lines.indexOf("$ kubectl get analyticsruns -n assay-runs -o wide") + 1);
    assertThat(heading.split(" {2,}"))
        .containsExactlyElementsOf(
            Stream.concat(
                    Stream.of("NAME"),
                    Stream.of(
                            AnalyticsRun.class.getAnnotationsByType(AdditionalPrinterColumn.class))
                        .map(column -> column.name().toUpperCase(Locale.ROOT)))
                .toList());
  }
}
