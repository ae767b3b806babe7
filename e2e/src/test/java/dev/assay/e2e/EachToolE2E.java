package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.e2e.upstream.CountingUpstream;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each tool once, as an agent calls it. Other scenarios are about what it does in which case. */
@InVerify
class EachToolE2E {
  private static final String SERVER = "each-tool";
  private static CountingUpstream upstream;
  private static ToolServers servers;

  @BeforeAll
  static void declare(Assay assay) {
    Samples.sales(assay);
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    servers = new ToolServers(assay);
    servers.declare(SERVER, ToolServers.spec(upstream.url()).build());
    servers.awaitPhase(SERVER, ToolServerPhase.Connected);
  }

  @AfterAll
  static void remove() {
    servers.close();
    upstream.close();
  }

  record Scenario(Consumer<Assay> steps, String... tools) {
    @Override
    public String toString() {
      return String.join(", ", tools);
    }
  }

  static List<Scenario> scenarios() {
    return List.of(
        new Scenario(
            EachToolE2E::aDatasetIsLoadedListedDescribedAndDeleted,
            "load_dataset",
            "list_datasets",
            "describe_dataset",
            "delete_dataset"),
        new Scenario(
            EachToolE2E::codeRunsInBothModes, "execute_custom_analytics_code", "list_runs"),
        new Scenario(EachToolE2E::aRunThatGoesOnIsCancelled, "get_run", "cancel_run"),
        new Scenario(EachToolE2E::theRuntimeIsDescribed, "describe_runtime"),
        new Scenario(EachToolE2E::aDatasetIsProfiled, "analytics_profile_dataset"),
        new Scenario(EachToolE2E::aSampleIsTaken, "analytics_stream_sample"),
        new Scenario(
            EachToolE2E::theResultOfAQueryIsCachedExportedAndForgotten,
            "analytics_execute_query",
            "analytics_export_result",
            "analytics_cache_invalidate"),
        new Scenario(
            EachToolE2E::aScriptCallsAToolThatWasFound,
            "search_tools",
            "describe_tools",
            "code_execution"));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void eachScenarioSucceeds(Scenario scenario, Assay assay) {
    scenario.steps().accept(assay);
  }

  @Test
  void eachToolOfTheListHasAScenario(Assay assay) {
    assertThat(scenarios().stream().flatMap(scenario -> Stream.of(scenario.tools())))
        .containsExactlyInAnyOrderElementsOf(assay.tools().stream().map(Tool::name).toList());
  }

  private static void aDatasetIsLoadedListedDescribedAndDeleted(Assay assay) {
    Map<String, Object> name = Map.of("dataset_name", "fruit-of-each-tool");
    String text = "name,kilos\napple,1.5\npear,\napple,2.0\n";
    assay.call("load_dataset", Map.of("dataset_name", "fruit-of-each-tool", "text", text)).orFail();
    assertThat(assay.call("list_datasets", Map.of()).orFail().text())
        .contains("fruit-of-each-tool");
    assertThat(assay.call("describe_dataset", name).orFail().text())
        .startsWith("fruit-of-each-tool (csv): 3 rows x 2 columns");
    assay.call("delete_dataset", name).orFail();
    assertThat(assay.call("list_datasets", Map.of()).orFail().text())
        .doesNotContain("fruit-of-each-tool");
  }

  private static void codeRunsInBothModes(Assay assay) {
    assertThat(assay.run("sales_data", "print(df.shape)").orFail().text()).isEqualTo("(150, 5)\n");
    assertThat(assay.run("sales_data", "df['missing']").text()).contains("KeyError");
    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "python_code",
                "from orchestrator.mcp import analytics\n"
                    + "print(sorted(analytics.describe_data(df))[0])",
                "mode",
                "code",
                "dataset_name",
                "sales_data"));
    assertThat(reply.orFail().structured()).isNotNull();
    assertThat(assay.call("list_runs", Map.of("phase", "Failed")).orFail().text())
        .contains("CodeError");
  }

  private static void aRunThatGoesOnIsCancelled(Assay assay) {
    String name =
        assay
            .call(
                "analytics_execute_query",
                Map.of(
                    "query_type",
                    "python",
                    "query",
                    "while True: pass",
                    "files",
                    List.of("sales_data"),
                    "wait_seconds",
                    0))
            .document()
            .path("query_id")
            .asText();
    assay.call("cancel_run", Map.of("name", name)).orFail();
    assertThat(assay.call("get_run", Map.of("name", name, "wait_seconds", 30)).text())
        .contains("Cancelled");
  }

  private static void theRuntimeIsDescribed(Assay assay) {
    assertThat(assay.call("describe_runtime", Map.of()).orFail().text())
        .startsWith("Python 3.")
        .contains("pandas", "Limits of class 'python': ");
  }

  private static void aDatasetIsProfiled(Assay assay) {
    JsonNode profile =
        assay
            .call("analytics_profile_dataset", Map.of("file_path", "sales_data"))
            .orFail()
            .document();
    assertThat(profile.at("/statistics/row_count").asInt()).isEqualTo(150);
    assertThat(profile.at("/schema/columns")).hasSize(5);
  }

  private static void aSampleIsTaken(Assay assay) {
    JsonNode sample =
        assay
            .call(
                "analytics_stream_sample",
                Map.of("file_path", "sales_data", "strategy", "random", "sample_size", 7))
            .orFail()
            .document();
    assertThat(sample.path("sample")).hasSize(7);
  }

  private static void theResultOfAQueryIsCachedExportedAndForgotten(Assay assay) {
    Map<String, Object> query =
        Map.of(
            "query_type",
            "sql",
            "query",
            "SELECT region, count(*) AS n FROM sales_data GROUP BY ALL ORDER BY ALL",
            "files",
            List.of("sales_data"),
            "chart_type",
            "bar",
            "cache_key",
            "each_tool");
    Reply reply = assay.call("analytics_execute_query", query).orFail();
    JsonNode result = reply.document();
    int rows = result.path("total_rows").asInt();
    assertThat(rows).isGreaterThan(1);
    assertThat(reply.images()).hasSize(1);
    JsonNode again = assay.call("analytics_execute_query", query).orFail().document();
    assertThat(again.at("/summary/cache_hit").asBoolean()).isTrue();
    Reply export =
        assay
            .call(
                "analytics_export_result",
                Map.of(
                    "query_id",
                    result.path("query_id").asText(),
                    "destination",
                    "/workspace/exports",
                    "format",
                    "csv"))
            .orFail();
    assertThat(export.document().path("row_count").asInt()).isEqualTo(rows);
    assertThat(export.files()).hasSize(1);
    assertThat(
            assay
                .call("analytics_cache_invalidate", Map.of("pattern", "each_*"))
                .orFail()
                .document()
                .path("keys_removed"))
        .hasToString("[\"each_tool\"]");
  }

  private static void aScriptCallsAToolThatWasFound(Assay assay) {
    assertThat(assay.call("search_tools", Map.of("query", "echo")).orFail().text())
        .contains("call_tool(\"" + SERVER + "\", \"echo\", {value?: ");
    assertThat(
            assay
                .call(
                    "describe_tools",
                    Map.of("tools", List.of(Map.of("server", SERVER, "tool", "echo"))))
                .orFail()
                .text())
        .contains("Returns a value as it is.");
    assertThat(
            Script.of("call_tool(input.server, 'echo', {value: input.value})")
                .input(Map.of("server", SERVER, "value", 42))
                .value(assay))
        .hasToString("{\"ok\":true,\"result\":{\"value\":42}}");
  }
}
