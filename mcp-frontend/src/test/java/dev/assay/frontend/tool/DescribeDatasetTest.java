package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.identity.Identity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DescribeDatasetTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final FakeDatasets datasets = new FakeDatasets();

  @ParameterizedTest
  @ValueSource(strings = {"sales_data", "Sales Data", "dataset://sales_data"})
  void aDatasetIsFoundByItsNameAndByItsUri(String name) {
    datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));

    assertThat(describe(name)).startsWith("sales_data (csv): 1 rows x 2 columns");
  }

  @Test
  void aDatasetWithoutAFrameAndWhatItsTableHasOtherwiseAreDescribed() {
    SnapshotColumn column =
        SnapshotColumnBuilder.builder()
            .name("A")
            .tableName("A_1")
            .type("object")
            .storedAs("string")
            .build();
    Dataset dataset = Fixtures.dataset("d", DatasetPhase.Ready);
    dataset.setStatus(
        dataset
            .getStatus()
            .withSnapshot(Fixtures.snapshot().withFrame("none").withColumns(List.of(column))));
    datasets.with(dataset);

    assertThat(describe("d"))
        .contains(
            "bytes, Ready (for SQL, Polars and files, without df)",
            "- A: object; in SQL and Polars: text, named A_1");
  }

  @Test
  void aDatasetThatIsLoadingIsDescribedOnceItIsReady() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Pending));

    assertThat(describe("d", PATIENCE, waiting -> datasets.settle("d", DatasetPhase.Ready)))
        .startsWith("d (csv): 1 rows x 2 columns")
        .doesNotContain("still loading");
  }

  @Test
  void aDatasetThatFailsMeanwhileIsDescribedWithTheCallThatLoadsIt() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Loading));

    assertThat(describe("d", PATIENCE, waiting -> datasets.settle("d", DatasetPhase.Failed)))
        .contains("Failed: ParserError: line 3", "and call again: load_dataset(dataset_name=\"d\"");
  }

  @Test
  void aDatasetThatStaysLoadingIsToBeAskedForAgain() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Pending));

    assertThat(describe("d", Duration.ZERO, Progress.NONE))
        .isEqualTo(
            "d (csv): Pending\n"
                + "It is still loading: call describe_dataset again in a few seconds.");
  }

  private String describe(String name) {
    return describe(name, PATIENCE, Progress.NONE);
  }

  private String describe(String name, Duration atMost, Progress progress) {
    DatasetWait wait = new DatasetWait(Duration.ofMillis(50));
    return new GuardedTool(new DescribeDataset(datasets, wait, atMost))
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", progress, new Cancellation()),
            Map.of("dataset_name", name))
        .text();
  }
}
