package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.identity.Identity;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DescribeDatasetTest {
  private final FakeDatasets datasets = new FakeDatasets();

  @ParameterizedTest
  @ValueSource(strings = {"sales_data", "Sales Data", "dataset://sales_data"})
  void aDatasetIsFoundByItsNameAndByItsUri(String name) {
    datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));

    assertThat(describe(name)).startsWith("sales_data (csv): 1 rows x 2 columns");
  }

  private String describe(String name) {
    return new GuardedTool(new DescribeDataset(datasets))
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation()),
            Map.of("dataset_name", name))
        .text();
  }
}
