package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.tool.ToolGroups;
import dev.assay.tokens.Tokens;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which tools a client sees: those of its path, its key and the installation. */
class ToolGroupsTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String LIST =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
  private static final String INITIALIZE =
      """
      {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}}\
      """;

  private final TestEndpoint endpoint = new TestEndpoint();

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aPathNarrowsTheToolsToItsGroups() {
    assertThat(tools("/mcp/datasets", "alice-key"))
        .contains("list_datasets", "describe_dataset", "load_dataset")
        .doesNotContain("execute_custom_analytics_code", "get_run", "list_runs");
    assertThat(tools("/mcp/code", "alice-key"))
        .containsExactly(
            "describe_runtime", "execute_custom_analytics_code", "get_run", "list_datasets");
    assertThat(tools("/mcp/runs", "alice-key"))
        .containsExactly("cancel_run", "get_run", "list_runs");
    assertThat(tools("/mcp/analytics", "alice-key"))
        .contains("describe_runtime", "get_run", "list_datasets")
        .doesNotContain("execute_custom_analytics_code");
    Set<String> two = new TreeSet<>(tools("/mcp/runs", "alice-key"));
    two.addAll(tools("/mcp/code", "alice-key"));
    assertThat(tools("/mcp/runs,code", "alice-key")).isEqualTo(two);
    Set<String> each = new TreeSet<>();
    for (ToolGroup group : ToolGroup.values()) {
      each.addAll(tools("/mcp/" + group.wireName(), "alice-key"));
    }
    assertThat(tools("/mcp", "alice-key")).isEqualTo(tools("/mcp/", "alice-key")).isEqualTo(each);
  }

  @Test
  void everyToolIsInSomeGroupAndNoneInAllOfThem() {
    Set<String> inAll = new TreeSet<>(tools("/mcp", "alice-key"));
    for (ToolGroup group : ToolGroup.values()) {
      inAll.retainAll(tools("/mcp/" + group.wireName(), "alice-key"));
    }
    assertThat(inAll).isEmpty();
  }

  @Test
  void aKeyAndAPathNarrowTogether() {
    assertThat(tools("/mcp", "alice-code-key")).isEqualTo(tools("/mcp/code", "alice-key"));
    assertThat(tools("/mcp/code,runs", "alice-code-key"))
        .isEqualTo(tools("/mcp/code", "alice-key"));
    assertThat(tools("/mcp/runs", "alice-code-key")).isEmpty();
    assertThat(call("/mcp/runs", "get_run", "alice-code-key").at("/error/message").asString())
        .isEqualTo(
            "Tool not available with this key and path: get_run. There are none: their tool groups"
                + " have nothing in common");
  }

  @Test
  void anInstallationOffersSomeGroupsOnly() {
    try (TestEndpoint datasets = new TestEndpoint(List.of(ToolGroup.DATASETS))) {
      assertThat(tools(datasets, "/mcp", "alice-key"))
          .isEqualTo(tools("/mcp/datasets", "alice-key"));
      assertThat(tools(datasets, "/mcp/code", "alice-key")).isEmpty();
    }
  }

  @Test
  void aToolThatIsNotListedCannotBeCalled() {
    JsonNode answer = call("/mcp/runs", "execute_custom_analytics_code", "alice-key");

    assertThat(answer.at("/error/code").asInt()).isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(answer.at("/error/message").asString())
        .isEqualTo(
            "Tool not available with this key and path: execute_custom_analytics_code. The tools"
                + " are cancel_run, get_run, list_runs");
    assertThat(endpoint.runs.created).isEmpty();
    assertThat(call("/mcp/runs", "list_runs", "alice-key").at("/result/isError").asBoolean())
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mcp/nothing", "/mcp/code,", "/mcp/Code", "/mcp/code/runs", "/mcp/,"})
  void aPathThatNamesNoGroupIsNotThere(String path) {
    HttpResponse<String> response = send(endpoint, path, LIST, "alice-key");

    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains("there are datasets, code, analytics, runs, scripts");
  }

  @Test
  void aToolThatNoGroupIsNamedForIsRefused() {
    assertThatThrownBy(() -> ToolGroups.of("new_tool"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The tool new_tool is in no group: name its groups in ToolGroups");
  }

  /** Agents pay for each word, before they have asked anything. */
  @ParameterizedTest
  @CsvSource({
    "/mcp, 3350",
    "/mcp/analytics, 1545",
    "/mcp/code, 1200",
    "/mcp/datasets, 600",
    "/mcp/runs, 400",
    "/mcp/scripts, 900",
    "'/mcp/datasets,code', 1320"
  })
  void theListOfToolsIsShort(String path, int maxTokens) {
    assertThat(Tokens.of(result(endpoint, path, LIST, "alice-key").toString()))
        .isLessThanOrEqualTo(maxTokens);
  }

  @Test
  void theListOfAKeyThatNamesItsGroupsIsAsShortAsThatOfTheirPath() {
    assertThat(result(endpoint, "/mcp", LIST, "alice-code-key"))
        .isEqualTo(result(endpoint, "/mcp/code", LIST, "alice-key"));
  }

  /** Scripts are off by default, and cost nothing then. */
  @Test
  void theListWithoutScriptsIsShorter() {
    try (TestEndpoint off = new TestEndpoint(CodeExecution.OFF)) {
      int without = Tokens.of(result(off, "/mcp", LIST, "alice-key").toString());

      assertThat(without)
          .isLessThanOrEqualTo(2750)
          .isLessThan(Tokens.of(result(endpoint, "/mcp", LIST, "alice-key").toString()) - 500);
      assertThat(tools(off, "/mcp/scripts", "alice-key")).containsExactly("get_run");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/mcp", "/mcp/analytics", "/mcp/code", "/mcp/runs", "/mcp/scripts"})
  void theInstructionsAreShortAndNameToolsOfTheirListOnly(String path) {
    String instructions =
        result(endpoint, path, INITIALIZE, "alice-key").get("instructions").asString();

    assertThat(Tokens.of(instructions)).isBetween(5, 100);
    Set<String> named = new TreeSet<>(tools("/mcp", "alice-key"));
    named.retainAll(List.of(instructions.split("\\W+", -1)));
    assertThat(named).isSubsetOf(tools(path, "alice-key"));
  }

  private Set<String> tools(String path, String key) {
    return tools(endpoint, path, key);
  }

  private static Set<String> tools(TestEndpoint endpoint, String path, String key) {
    return result(endpoint, path, LIST, key)
        .get("tools")
        .valueStream()
        .map(tool -> tool.get("name").asString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static JsonNode result(TestEndpoint endpoint, String path, String body, String key) {
    return JSON.readTree(send(endpoint, path, body, key).body()).get("result");
  }

  private JsonNode call(String path, String tool, String key) {
    return JSON.readTree(
        send(
                endpoint,
                path,
                """
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s"}}\
                """
                    .formatted(tool),
                key)
            .body());
  }

  private static HttpResponse<String> send(
      TestEndpoint endpoint, String path, String body, String key) {
    return endpoint.send(
        endpoint
            .request(path, body)
            .setHeader("Accept", "application/json")
            .header("X-API-Key", key)
            .build());
  }
}
