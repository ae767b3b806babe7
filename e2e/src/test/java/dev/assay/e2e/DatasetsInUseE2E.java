package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Datasets that are replaced and deleted while runs read them. */
@Full
class DatasetsInUseE2E {
  private static final int RUNS = 20;
  private static final String ROWS_OF_ONE_KIND =
      """
      import time
      first = df['a'].to_list()
      time.sleep(3)
      import pandas
      print(len(df), set(first) | set(df['a'].copy()))
      """;

  @Test
  void eachOf20RunsReadsOneWholeVersionWhileItIsReplaced(Assay assay) {
    replace(assay, "replaced", 1);
    Runs runs = new Runs(assay);
    List<AnalyticsRun> readers =
        IntStream.range(0, RUNS)
            .mapToObj(i -> runs.create("python", ROWS_OF_ONE_KIND, 120, "replaced"))
            .toList();
    for (int version = 2; version < 5; version++) {
      replace(assay, "replaced", version);
    }
    for (AnalyticsRun reader : readers) {
      AnalyticsRunStatus ended = runs.awaitEnd(reader);
      assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
      assertThat(Runs.output(ended)).matches("100000 \\{[1-4]\\}\n");
    }
    assertThat(assay.run("replaced", "print(set(df['a']))").text()).isEqualTo("{4}\n");
  }

  @Test
  void aRunKeepsItsDatasetThatIsRemovedMeanwhile(Assay assay) {
    replace(assay, "removed", 7);
    Runs runs = new Runs(assay);
    AnalyticsRun reader = runs.create("python", "print('up')\n" + ROWS_OF_ONE_KIND, 120, "removed");
    runs.awaitRunning(reader);
    assay.rest().delete("/datasets/removed");
    AnalyticsRunStatus ended = runs.awaitEnd(reader);
    assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(ended)).isEqualTo("up\n100000 {7}\n");
    assertThat(assay.run("removed", "print(df)").text()).contains("not loaded");
  }

  private static void replace(Assay assay, String name, int value) {
    String csv = "a\n" + (value + "\n").repeat(100_000);
    assay.uploadCsv(name, csv);
  }
}
