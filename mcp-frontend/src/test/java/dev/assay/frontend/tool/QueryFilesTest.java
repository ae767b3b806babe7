package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.Reply;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Artifacts of earlier runs as files of the analytics tools. */
class QueryFilesTest {
  private static final String VALUE =
      """
      {"table":{"columns":[{"name":"a","type":"BIGINT"}],"rows":[[1]],"totalRows":1},
       "sampling":{"strategy":"head","rowsSampled":1,"totalRows":1,"columnsIncluded":["a"]}}""";

  private final AnalyticsTestBed bed = new AnalyticsTestBed();

  @BeforeEach
  void returnRows() {
    bed.returning(VALUE);
  }

  private void exported(String run, String... paths) {
    AnalyticsRun made =
        bed.with(
            run,
            Fixtures.left(
                Stream.of(paths)
                    .map(path -> Fixtures.artifact(path, new byte[1], "text/csv"))
                    .toArray(RunArtifact[]::new)));
    made.setSpec(made.getSpec().withCode(null).withBuiltin(new BuiltinSpec(Builtin.EXPORT, null)));
  }

  private Reply query(String... files) {
    return AnalyticsTestBed.call(
        new ExecuteQuery(bed.common, bed.queries()),
        Map.of("query_type", "sql", "query", "SELECT 1", "files", List.of(files)));
  }

  private AnalyticsRunSpec created() {
    return bed.runs.created.getLast().getSpec();
  }

  @Test
  void aLinkToAnArtifactIsAFileOfTheQuery() {
    exported("run-a", "exports/a b.csv");

    Reply reply = query("flights", "assay://runs/run-a/artifacts/exports/a%20b.csv");

    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(created().datasetNames()).containsExactly("flights");
    assertThat(created().inputs()).containsExactly(new RunInput("run-a", "exports/a b.csv", null));
  }

  @Test
  void thePathOfAnExportIsThatOfTheNewestOne() {
    exported("run-a", "exports/a.csv");
    exported("run-b", "exports/a.csv");

    assertThat(query("/workspace/exports/a.csv").isError()).isFalse();
    assertThat(created().inputs()).containsExactly(new RunInput("run-b", "exports/a.csv", null));
    assertThat(query("exports/a.csv").isError()).isFalse();
  }

  @Test
  void theFolderOfAnExportIsAllOfItsFiles() {
    exported("run-a", "exports/by/EU.csv", "exports/by/US.csv");

    assertThat(query("/workspace/exports/by").isError()).isFalse();
    assertThat(created().inputList()).hasSize(2);
  }

  @Test
  void anArtifactOfOtherRunsHasNoPath() {
    bed.with("run-a", Fixtures.left(Fixtures.artifact("exports/a.csv", new byte[1], "text/csv")));

    assertThat(query("exports/a.csv").text()).startsWith("ERROR 4002");
  }

  @Test
  void anAddressThatIsNoneOrLeadsNowhereIsRefused() {
    exported("run-a", "exports/a.csv");
    bed.with("run-c", Fixtures.left(Fixtures.artifact("a.csv", new byte[1], "text/csv")))
        .getMetadata()
        .setNamespace("other");

    assertThat(query("assay://runs/run-a/code").text())
        .startsWith("ERROR 4001 (Invalid Input): 'files[0]' is not the address of an artifact");
    assertThat(query("assay://runs/run-a/artifacts/exports/b.csv").text())
        .startsWith("ERROR 4002 (File Not Found): There is no artifact 'exports/b.csv' of a run");
    assertThat(query("assay://runs/run-c/artifacts/a.csv").text()).startsWith("ERROR 4002");
    assertThat(bed.runs.created).isEmpty();
  }

  @Test
  void twoFilesOfOnePathAreRefused() {
    exported("run-a", "exports/a.csv");
    exported("run-b", "exports/a.csv");

    assertThat(
            query(
                    "assay://runs/run-a/artifacts/exports/a.csv",
                    "assay://runs/run-b/artifacts/exports/a.csv")
                .text())
        .contains("'files' names two artifacts with the path exports/a.csv");
  }

  @Test
  void aSampleOfAnArtifactNamesItsFile() {
    exported("run-a", "exports/a.csv");

    Reply reply =
        AnalyticsTestBed.call(
            new StreamSample(bed.common, bed.queries()),
            Map.of("file_path", "/workspace/exports/a.csv", "strategy", "head"));

    assertThat(reply.text()).startsWith("exports/a.csv: 1 of 1 rows");
    assertThat(created().datasetNames()).isEmpty();
    assertThat(created().inputs()).containsExactly(new RunInput("run-a", "exports/a.csv", null));
    assertThat(Objects.requireNonNull(created().builtin()).arguments())
        .isEqualTo("{\"file\":\"exports/a.csv\",\"strategy\":\"head\",\"size\":20}");
  }
}
