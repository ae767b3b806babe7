package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Third-party clients get the same results. */
@Core
class OtherClientsE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "auto"})
  void theInspectorRunsCode(String era, Assay assay) {
    Reply reply = run(OutsideClient.inspector(assay, era), "print(len(df))");
    assertThat(reply.orFail().text()).isEqualTo("150\n");
  }

  @Test
  void theInspectorSeesAnErrorAsAnError(Assay assay) {
    Programs.Finished finished =
        OutsideClient.inspect(
            assay,
            "legacy",
            "tools/call",
            List.of(
                "--tool-name",
                Assay.TOOL,
                "--tool-arg",
                "dataset_name=sales_data",
                "--tool-arg",
                "python_code=df['nope']"));
    assertThat(finished.output() + finished.errors()).contains("ERROR: KeyError: 'nope'");
  }

  @Test
  void theInspectorFindsNothingToCorrectInTheToolSchemas(Assay assay) {
    Programs.Finished finished =
        OutsideClient.inspect(assay, "legacy", "tools/list", List.of("--strict"));
    assertThat(finished.exit()).as(finished.errors()).isZero();
    assertThat(finished.output()).contains(Assay.TOOL);
  }

  @Test
  void theInspectorTakesAnAnalysisFromTheQueryToTheDownload(Assay assay) {
    ClientAnalysis.assertWorks(OutsideClient.inspector(assay, "legacy"));
  }

  /** {@link ClientTableE2E} has the other clients, and more cases. */
  @Test
  void thePythonClientTakesAnAnalysisFromTheQueryToTheDownload(Assay assay) {
    try (ClientSession session =
        ClientSession.open(
            ClientProgram.PYTHON, ClientProgram.Transport.HTTP, assay.installation())) {
      ClientAnalysis.assertWorks(session);
    }
  }

  private static Reply run(OutsideClient client, String code) {
    return client.call(Assay.TOOL, Map.of("dataset_name", "sales_data", "python_code", code));
  }
}
