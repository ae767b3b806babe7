package dev.assay.frontend.toolserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.api.v1alpha1.ToolServerStatusBuilder;
import dev.assay.api.v1alpha1.ToolStateBuilder;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.run.OutputStore;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code search_tools} and {@code describe_tools}, as an agent sees them. */
@Tag("slow")
class ToolsOfServersTest {
  private static final String GET_USER =
      """
      {"name": "get_user", "description": "Gets a user.\\nWith all that is public.",
       "inputSchema": {"type": "object", "required": ["username"], "properties": {
         "username": {"type": "string"}, "detail": {"enum": ["all", "some"]},
         "tags": {"type": "array", "items": {"type": ["string", "null"]}}, "x-y": {}}},
       "outputSchema": {"type": "object", "properties": {"login": {"type": "string"}}}}
      """;

  private final TestEndpoint endpoint = new TestEndpoint();

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private void github() {
    github(endpoint);
  }

  private static void github(TestEndpoint endpoint) {
    endpoint.outputs.definition("d1", GET_USER);
    endpoint.toolServers.with(
        server(
            "github",
            spec -> spec,
            tool("get_user", "d1", ToolApproval.Approved, ToolPermission.READ, "Gets a user."),
            tool("drop_repo", "d2", ToolApproval.Approved, ToolPermission.DESTRUCTIVE, "Drops."),
            tool("new_tool", "d3", ToolApproval.Pending, ToolPermission.READ, null)));
  }

  @Test
  void aToolThatHasChangedIsReadAsItWasApproved() {
    endpoint.outputs.definition("approved", GET_USER);
    endpoint.outputs.definition("listed", GET_USER.replace("Gets", "IGNORE ALL"));
    endpoint.toolServers.with(
        server(
            "github",
            spec -> spec,
            tool("get_user", "listed", ToolApproval.Changed, ToolPermission.READ, "Gets a user.")
                .with()
                .approvedDigest("approved")
                .build(),
            tool("gone", "listed", ToolApproval.Changed, ToolPermission.READ, "Gone.")
                .with()
                .approvedDigest("not in the store")
                .build()));

    String changed = " [changed since it was approved: calls return TOOL_NOT_APPROVED]";
    assertThat(text("search_tools", "{'query': 'user gone'}", "alice-key"))
        .doesNotContain("IGNORE")
        .contains("): {login?: string}" + changed + " // Gets a user.")
        .contains("call_tool(\"github\", \"gone\", ...)" + changed + " // Gone.");
    assertThat(
            text(
                "describe_tools",
                "{'tools': [{'server': 'github', 'tool': 'get_user'}]}",
                "alice-key"))
        .endsWith("): {login?: string}" + changed + "\n  Gets a user.\n  With all that is public.");
  }

  @Test
  void withoutAQueryTheServersAreListed() {
    assertThat(text("search_tools", "{}", "alice-key"))
        .isEqualTo("There are no tools that scripts may call.");
    github();
    endpoint.toolServers.with(
        server(
            "any",
            spec -> spec.withApproval(ToolServerSpec.Approval.None),
            tool("t", "d9", null, null, null)));

    assertThat(text("search_tools", "{}", "alice-key"))
        .isEqualTo("2 servers:\nany: 1 tool\ngithub: 2 tools (1 read, 1 destructive)");
  }

  @Test
  void aServerThatHasNotListedItsToolsYetIsSaid() {
    ToolServer starting = server("late", spec -> spec);
    starting.setStatus(null);
    endpoint.toolServers.with(starting);
    String line = "\n[still connecting: late; retry in a few seconds]";

    assertThat(text("search_tools", "{}", "alice-key"))
        .isEqualTo("There are no tools that scripts may call." + line);
    assertThat(text("search_tools", "{'query': 'zzz'}", "alice-key"))
        .isEqualTo(
            "No tool matches the query. search_tools without a query lists the servers" + line);
  }

  @Test
  void aSearchFindsApprovedToolsWithTheirSignatures() {
    github();

    JsonNode result = call("search_tools", "{'query': 'user of GitHub'}", "alice-key");

    assertThat(result.at("/content/0/text").asString())
        .isEqualTo(
            "2 tools:\n"
                + "call_tool(\"github\", \"get_user\", {username: string, detail?: \"all\" |"
                + " \"some\", tags?: (string | null)[], \"x-y\"?: unknown}): {login?: string}"
                + " // Gets a user.\n"
                + "call_tool(\"github\", \"drop_repo\", ...) // Drops.");
    assertThat(result.get("_meta")).hasToString("{\"assay.dev/untrusted-content\":true}");
    assertThat(text("search_tools", "{'query': 'new_tool'}", "alice-key"))
        .startsWith("No tool matches the query");
    assertThat(text("search_tools", "{'query': 'zzz'}", "alice-key"))
        .isEqualTo("No tool matches the query. search_tools without a query lists the servers");
  }

  @Test
  void whatAKeyMayNotCallLooksLikeWhatIsNotThere() {
    github();

    assertThat(text("search_tools", "{}", "carol-reading-key"))
        .isEqualTo("1 server:\ngithub: 1 tool (1 read)");
    assertThat(
            text(
                "describe_tools",
                "{'tools': [{'server': 'github', 'tool': 'drop_repo'}]}",
                "carol-reading-key"))
        .isEqualTo("1 tool:\nTOOL_NOT_FOUND: github drop_repo");
  }

  @Test
  void whatTheClassDoesNotAllowIsNotThere() {
    github();
    RunClass runClass = FakeRunClasses.runClass("javascript", Purpose.Run, "runner:1", 120, 60);
    runClass.setSpec(
        runClass.getSpec().withTools(new ClassTools(List.of("other"), null, null, null)));
    endpoint.classes.with(runClass);

    assertThat(text("search_tools", "{}", "alice-key"))
        .isEqualTo("There are no tools that scripts may call.");
  }

  @Test
  void aServerThatIsDisabledOrQuarantinedHasNoTools() {
    ToolState tool = tool("t", "d", ToolApproval.Approved, ToolPermission.READ, null);
    endpoint.toolServers.with(server("a", spec -> spec.withEnabled(false), tool));
    endpoint.toolServers.with(server("b", spec -> spec.withQuarantined(true), tool));

    assertThat(text("search_tools", "{}", "alice-key"))
        .isEqualTo("There are no tools that scripts may call.");
  }

  @Test
  void aDescriptionIsWholeAndAToolThatIsNotThereHasItsNeighbour() {
    github();

    assertThat(
            text(
                "describe_tools",
                "{'tools': [{'server': 'github', 'tool': 'get_user'},"
                    + " {'server': 'github', 'tool': 'get_usr'},"
                    + " {'server': 'gihub', 'tool': 'x'}]}",
                "alice-key"))
        .isEqualTo(
            "3 tools:\n"
                + "call_tool(\"github\", \"get_user\", {username: string, detail?: \"all\" |"
                + " \"some\", tags?: (string | null)[], \"x-y\"?: unknown}): {login?: string}\n"
                + "  Gets a user.\n"
                + "  With all that is public.\n"
                + "TOOL_NOT_FOUND: github get_usr; github get_user is near\n"
                + "TOOL_NOT_FOUND: gihub x; github is near");
  }

  @Test
  @Timeout(30)
  void aSchemaDecidesNeitherHowLongItIsReadNorHowLongItsTypeBecomes() {
    String types = "\"object\",".repeat(100) + "\"object\"";
    String nested = "{}";
    for (int i = 0; i < 5; i++) {
      nested = "{\"type\":[%s],\"properties\":{\"a\":%s}}".formatted(types, nested);
    }
    String wide =
        "{\"anyOf\":[" + "{\"type\":\"object\",\"properties\":{\"b\":{}}},".repeat(2_000) + "{}]}";
    endpoint.outputs.definition("d1", "{\"name\":\"a\",\"inputSchema\":" + nested + "}");
    endpoint.outputs.definition("d2", "{\"name\":\"b\",\"inputSchema\":" + wide + "}");
    endpoint.outputs.definition(
        "d3", "{\"name\":\"c\",\"inputSchema\":{\"x\":[" + "[],".repeat(300_000) + "[]]}}");
    endpoint.toolServers.with(
        server(
            "hostile",
            spec -> spec,
            tool("a", "d1", ToolApproval.Approved, ToolPermission.READ, null),
            tool("b", "d2", ToolApproval.Approved, ToolPermission.READ, null),
            tool("c", "d3", ToolApproval.Approved, ToolPermission.READ, null)));

    assertThat(text("search_tools", "{'query': 'hostile'}", "alice-key"))
        .isEqualTo(
            "3 tools:\n"
                + "call_tool(\"hostile\", \"a\", {a?: {a?: {a?: {a?: {a?: unknown}}}}})\n"
                + "call_tool(\"hostile\", \"b\", {b?: unknown} | unknown)\n"
                + "call_tool(\"hostile\", \"c\", ...)");
  }

  @Test
  void whatDoesNotFitIsCounted() {
    ToolState[] many = new ToolState[200];
    for (int i = 0; i < many.length; i++) {
      many[i] = tool("tool_" + i, "d" + i, ToolApproval.Approved, ToolPermission.READ, "Tool.");
    }
    endpoint.toolServers.with(server("big", spec -> spec, many));

    String text = text("search_tools", "{'query': 'tool', 'max_tokens': 200}", "alice-key");

    assertThat(text).startsWith("200 tools:\ncall_tool(\"big\", \"tool_0\", ...) // Tool.");
    assertThat(text).matches("(?s).*\\n\\[1\\d\\d more tools left out; max_tokens shows more]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "search_tools|{'query': 5}|'query' must be a string, not a number",
        "search_tools|{'server': 'a'}|unknown argument 'server'; the arguments are query, max_tokens",
        "describe_tools|{}|missing argument 'tools'",
        "describe_tools|{'tools': 'a'}|'tools' must be an array, not a string",
        "describe_tools|{'tools': ['a']}|'tools[0]' must be an object, not a string",
        "describe_tools|{'tools': [null]}|'tools[0]' must be an object, not null",
        "describe_tools|{'tools': [{'server': 'a'}]}|missing argument 'tool'",
        "describe_tools|{'tools': [{'server': 1, 'tool': 'b'}]}|'server' must be a string, not a"
            + " number",
      })
  void whatIsWrongWithACallIsNamed(String tool, String arguments, String message) {
    JsonNode result = call(tool, arguments, "alice-key");

    assertThat(result.get("isError").asBoolean()).isTrue();
    assertThat(result.at("/content/0/text").asString()).endsWith("Error: " + message);
  }

  @Test
  void noMoreToolsAreDescribedThanACallMayName() {
    String tools = "{'server': 'a', 'tool': 'b'},".repeat(32) + "{'server': 'a', 'tool': 'b'}";

    assertThat(text("describe_tools", "{'tools': [" + tools + "]}", "alice-key"))
        .endsWith("ValueError: 'tools' has more than 32 elements");
  }

  @Test
  void theyAreHiddenWhereScriptsAreSwitchedOff() {
    try (TestEndpoint off = new TestEndpoint(CodeExecution.OFF)) {
      assertThat(
              off.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}")
                  .body())
          .doesNotContain("search_tools", "describe_tools");
    }
  }

  @Test
  void theySaySoWhereScriptsAreSwitchedOff() {
    try (TestEndpoint off = new TestEndpoint(CodeExecution.OFF)) {
      github(off);

      for (String[] refused :
          new String[][] {
            {"search_tools", "{}"},
            {"search_tools", "{'query': 'user'}"},
            {"describe_tools", "{'tools': [{'server': 'github', 'tool': 'get_user'}]}"}
          }) {
        JsonNode result = call(off, refused[0], refused[1], "alice-key");
        assertThat(result.get("isError").asBoolean()).isTrue();
        assertThat(result.at("/content/0/text").asString())
            .contains("FEATURE_DISABLED", "enable_code_execution")
            .doesNotContain("get_user");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/github/tools", "/github/definitions/d1"})
  void restRefusesThemWhereScriptsAreSwitchedOff(String path) {
    try (TestEndpoint off = new TestEndpoint(CodeExecution.OFF)) {
      github(off);

      HttpResponse<String> response = get(off, "/api/v1/tool-servers" + path);

      assertThat(response.statusCode()).isEqualTo(403);
      JsonNode error = JsonMapper.shared().readTree(response.body()).get("error");
      assertThat(error.get("code").asString()).isEqualTo("FEATURE_DISABLED");
      assertThat(error.get("message").asString()).contains("enable_code_execution");
    }
  }

  @Test
  void restListsServersAndToolsAsTheKeyMayCallThem() {
    github();
    endpoint.toolServers.with(server("off", spec -> spec.withEnabled(false)));

    assertThat(rest("/api/v1/tool-servers"))
        .hasToString(
            "{\"items\":[{\"name\":\"github\",\"phase\":\"Connected\",\"tools\":{\"listed\":0,"
                + "\"approved\":0,\"pending\":0,\"changed\":0}},{\"name\":\"off\",\"phase\":"
                + "\"Connected\",\"tools\":{\"listed\":0,\"approved\":0,\"pending\":0,\"changed\":0}}]}");
    assertThat(rest("/api/v1/tool-servers/github/tools").at("/items/0"))
        .hasToString(
            "{\"name\":\"get_user\",\"approval\":\"Approved\",\"permission\":\"read\",\"digest\":"
                + "\"d1\",\"approvedDigest\":\"d1\",\"summary\":\"Gets a user.\"}");
    assertThat(rest("/api/v1/tool-servers/none/tools").at("/error/message").asString())
        .startsWith("There is no tool server 'none' in your namespace");
  }

  @Test
  void whatAServerSaysOfItselfIsShownWithoutCharactersThatNobodySees() {
    String hostile = "re\u202Ead\u200B\uDB40\uDC41\u0007\nme";
    ToolServer server =
        server(
            "hostile",
            spec -> spec,
            tool("t", "d1", ToolApproval.Approved, ToolPermission.READ, hostile));
    server.setStatus(
        Objects.requireNonNull(server.getStatus())
            .with()
            .message(hostile)
            .server(new ToolServerStatus.ServerInfo(hostile, hostile))
            .build());
    endpoint.toolServers.with(server);
    endpoint.outputs.definition(
        "d1",
        "{\"name\":\"t\",\"description\":\"re\u202Ead\u200Bme\",\"inputSchema\":{\"properties\":"
            + "{\"a\u200B\":{\"type\":\"string\"}}}}");

    JsonNode shown = rest("/api/v1/tool-servers").at("/items/0");
    assertThat(shown.get("message").asString()).isEqualTo("read me");
    assertThat(shown.get("serverName").asString()).isEqualTo("read me");
    assertThat(shown.get("serverVersion").asString()).isEqualTo("read me");
    assertThat(rest("/api/v1/tool-servers/hostile/tools").at("/items/0/summary").asString())
        .isEqualTo("read me");
    assertThat(text("search_tools", "{'query': 'hostile'}", "alice-key"))
        .isEqualTo("1 tool:\ncall_tool(\"hostile\", \"t\", {\"a\"?: string}) // read me");
    assertThat(
            text("describe_tools", "{'tools': [{'server': 'hostile', 'tool': 't'}]}", "alice-key"))
        .endsWith("\n  readme");
  }

  @Test
  void restHasTheDefinitionsThatAServerListsAlsoThoseThatAreNotApproved() {
    github();
    String pending = "{\"name\":\"new_tool\",\"description\":\"Tells\"}";
    endpoint.outputs.definition("d3", pending).definition("d5", "{}");

    assertThat(rest("/api/v1/tool-servers/github/definitions/d3")).hasToString(pending);
    for (String digest : List.of("d5", "d2")) {
      assertThat(
              rest("/api/v1/tool-servers/github/definitions/" + digest)
                  .at("/error/message")
                  .asString())
          .as("not of this server, or not there")
          .startsWith("The server has no definition with this digest");
    }
    endpoint.outputs.definition("d3", "x".repeat(OutputStore.MAX_DEFINITION_BYTES + 1));
    assertThat(rest("/api/v1/tool-servers/github/definitions/d3").at("/error/message").asString())
        .as("nobody should approve what is shown in part")
        .isEqualTo(
            "The definition has more than 1048576 bytes and cannot be shown; do not approve it");
    endpoint.outputs.reachable(false);
    assertThat(rest("/api/v1/tool-servers/github/definitions/d3").at("/error/message").asString())
        .startsWith("The definition cannot be read now: the output store");
  }

  private JsonNode rest(String path) {
    return JsonMapper.shared().readTree(get(endpoint, path).body());
  }

  private static HttpResponse<String> get(TestEndpoint asked, String path) {
    return asked.send(
        HttpRequest.newBuilder(URI.create(asked.url() + path))
            .header("X-API-Key", "alice-key")
            .build());
  }

  private static ToolState tool(
      String name,
      String digest,
      @Nullable ToolApproval approval,
      @Nullable ToolPermission permission,
      @Nullable String summary) {
    return ToolStateBuilder.builder()
        .name(name)
        .digest(digest)
        .approvedDigest(digest)
        .approval(approval)
        .permission(permission)
        .summary(summary)
        .build();
  }

  private static ToolServer server(
      String name, UnaryOperator<ToolServerSpec> change, ToolState... tools) {
    ToolServer server = new ToolServer();
    server.setMetadata(new ObjectMetaBuilder().withNamespace("runs").withName(name).build());
    server.setSpec(
        change.apply(
            ToolServerSpecBuilder.builder()
                .url("https://example.com/mcp")
                .protocol(ToolServerSpec.Protocol.StreamableHttp)
                .approval(ToolServerSpec.Approval.Baseline)
                .session(ToolServerSpec.Session.Shared)
                .build()));
    server.setStatus(
        ToolServerStatusBuilder.builder()
            .phase(ToolServerPhase.Connected)
            .tools(List.of(tools))
            .build());
    return server;
  }

  private String text(String tool, String arguments, String key) {
    return call(tool, arguments, key).at("/content/0/text").asString();
  }

  private JsonNode call(String tool, String arguments, String key) {
    return call(endpoint, tool, arguments, key);
  }

  private static JsonNode call(TestEndpoint asked, String tool, String arguments, String key) {
    return JsonMapper.shared()
        .readTree(
            asked
                .send(
                    asked
                        .request(
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                                + "{\"name\":\"%s\",\"arguments\":%s}}"
                                    .formatted(tool, arguments.replace('\'', '"')))
                        .setHeader("Accept", "application/json")
                        .header("X-API-Key", key)
                        .build())
                .body())
        .get("result");
  }
}
