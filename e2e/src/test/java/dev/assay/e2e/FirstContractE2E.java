package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The seven tests from the first specification of the tool. */
@Everywhere
class FirstContractE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    assay.inlineDataset("test_data", DatasetFormat.CSV, Samples.text("data/values.csv"));
  }

  @Test
  void theToolIsListedWithItsArguments(Assay assay) {
    assertThat(assay.tools()).extracting(Tool::name).contains(Assay.TOOL);
  }

  @Test
  void simpleCodeRuns(Assay assay) {
    Reply reply = assay.run("test_data", "print('Dataset shape:', df.shape)");
    assertThat(reply.text()).isEqualTo("Dataset shape: (3, 2)\n");
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void anAnalysisRuns(Assay assay) {
    String code =
        """

        print("Columns:", df.columns.tolist())
        print("Row count:", len(df))
        if 'value' in df.columns:
            print("Sum:", df['value'].sum())
        """;
    assertThat(assay.run("test_data", code).text())
        .isEqualTo("Columns: ['name', 'value']\nRow count: 3\nSum: 6\n");
  }

  @Test
  void anErrorOfTheCodeIsReturned(Assay assay) {
    Reply reply = assay.run("test_data", "result = df['nonexistent_column'].sum()");
    assertThat(reply.text()).contains("ERROR:", "KeyError");
    assertThat(reply.isError()).isTrue();
  }

  @Test
  void anEndlessLoopTimesOut(Assay assay) {
    assertThat(assay.run("test_data", "while True: pass", 2).text()).contains("TIMEOUT:");
  }

  @Test
  void anUnknownDatasetIsAnExecutionError(Assay assay) {
    Reply reply = assay.run("nonexistent_dataset", "print(df.shape)");
    assertThat(reply.text()).contains("EXECUTION ERROR:", "nonexistent_dataset");
    assertThat(reply.isError()).isTrue();
  }

  @Test
  void emptyCodeEndsWithoutErrorAndWithoutOutput(Assay assay) {
    Reply reply = assay.run("test_data", "");
    assertThat(reply.text()).isEmpty();
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void severalLinesComeBackInOrder(Assay assay) {
    String code =
        """

        for i in range(3):
            print(f"Line {i+1}")
        print("Final line")
        """;
    assertThat(assay.run("test_data", code).text())
        .isEqualTo("Line 1\nLine 2\nLine 3\nFinal line\n");
  }
}
