package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Third-party clients get the same results. */
@Core
class OtherClientsE2E {
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "auto"})
  void theInspectorRunsCode(String era, Assay assay) throws JsonProcessingException {
    Programs.Finished finished =
        inspector(
            assay,
            era,
            "tools/call",
            "--tool-name",
            Assay.TOOL,
            "--tool-arg",
            "dataset_name=sales_data",
            "--tool-arg",
            "python_code=print(len(df))");
    JsonNode result = JSON.readTree(finished.orFail());
    assertThat(result.at("/content/0/text").asText()).isEqualTo("150\n");
  }

  @Test
  void theInspectorSeesAnErrorAsAnError(Assay assay) {
    Programs.Finished finished =
        inspector(
            assay,
            "legacy",
            "tools/call",
            "--tool-name",
            Assay.TOOL,
            "--tool-arg",
            "dataset_name=sales_data",
            "--tool-arg",
            "python_code=df['nope']");
    assertThat(finished.output() + finished.errors()).contains("ERROR: KeyError: 'nope'");
  }

  @Test
  void theInspectorFindsNothingToCorrectInTheToolSchemas(Assay assay) {
    Programs.Finished finished = inspector(assay, "legacy", "tools/list", "--strict");
    assertThat(finished.exit()).as(finished.errors()).isZero();
    assertThat(finished.output()).contains(Assay.TOOL);
  }

  @Test
  void thePythonClientRunsCode(Assay assay) throws JsonProcessingException {
    JsonNode reply = python(assay, "sales_data", "print(df.shape)");
    assertThat(reply.get("text").asText()).isEqualTo("(150, 5)\n");
    assertThat(reply.get("isError").asBoolean()).isFalse();
  }

  @Test
  void thePythonClientSeesAnErrorAsAnError(Assay assay) throws JsonProcessingException {
    JsonNode reply = python(assay, "sales_data", "1/0");
    assertThat(reply.get("text").asText()).startsWith("ERROR: ZeroDivisionError");
    assertThat(reply.get("isError").asBoolean()).isTrue();
  }

  private static Programs.Finished inspector(
      Assay assay, String era, String method, String... more) {
    Path bin = assay.installation().clients().resolve("inspector/node_modules/.bin");
    List<String> command =
        new ArrayList<>(
            List.of(
                bin.resolve("node").toString(),
                bin.resolve("mcp-inspector").toString(),
                "--cli",
                assay.installation().endpoint().toString(),
                "--transport",
                "http",
                "--protocol-era",
                era,
                "--header",
                "Authorization: Bearer " + assay.installation().key(),
                "--method",
                method));
    command.addAll(List.of(more));
    return Programs.run(command, "", Map.of("NO_COLOR", "1"));
  }

  private static JsonNode python(Assay assay, String dataset, String code)
      throws JsonProcessingException {
    String arguments =
        JSON.writeValueAsString(Map.of("dataset_name", dataset, "python_code", code));
    return JSON.readTree(
        Programs.run(
                List.of(
                    assay.installation().clients().resolve("python/bin/python").toString(),
                    "-I",
                    Path.of("clients/python/call.py").toAbsolutePath().toString(),
                    assay.installation().endpoint().toString(),
                    Assay.TOOL),
                arguments,
                Map.of("ASSAY_E2E_KEY", assay.installation().key()))
            .orFail());
  }
}
