package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.RunToolsBuilder;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.api.v1alpha1.ToolServerSpec.Limits;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.e2e.upstream.CountingUpstream;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Code that calls tools of a server outside of Assay, from its declaration to the records. */
@Everywhere
class ToolServersE2E {
  private static final String SERVER = "counting";
  private static final String DISABLED = "counting-disabled";
  private static final String QUARANTINED = "counting-quarantined";
  private static final String PINNED = "counting-pinned";
  private static final String HURRIED = "counting-hurried";
  private static final String DOWN = "counting-down";
  private static final String SECRET = "counting-with-secret";
  private static final String CLASS = "e2e-python-tools";
  private static final String KEPT_CLASS = "e2e-kept-script";
  private static final int KEPT_SECONDS = 60;

  /** Nobody listens there. */
  private static final int CLOSED_PORT = 9;

  private static final int TOO_MANY_BYTES = 1_100_000;

  private static CountingUpstream upstream;
  private static ToolServers servers;

  private final Assay assay;
  private final Runs runs;
  private final String id = UUID.randomUUID().toString();

  ToolServersE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @BeforeAll
  static void declare(Assay assay) {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    servers = new ToolServers(assay);
    URI url = upstream.url();
    servers.declare(SERVER, ToolServers.spec(url).build());
    servers.declare(DISABLED, ToolServers.spec(url).enabled(false).build());
    servers.declare(QUARANTINED, ToolServers.spec(url).quarantined(true).build());
    servers.declare(PINNED, ToolServers.spec(url).approval(Approval.Pinned).build());
    servers.declare(HURRIED, ToolServers.spec(url).limits(new Limits(1, null, null, null)).build());
    servers.declare(
        DOWN,
        ToolServers.spec(URI.create("http://" + url.getHost() + ":" + CLOSED_PORT + "/mcp"))
            .build());
    servers.awaitPhase(SERVER, ToolServerPhase.Connected);
    servers.awaitPhase(DISABLED, ToolServerPhase.Disabled);
    servers.awaitPhase(QUARANTINED, ToolServerPhase.Quarantined);
    servers.awaitPhase(PINNED, ToolServerPhase.Connected);
    servers.awaitPhase(HURRIED, ToolServerPhase.Connected);
  }

  @AfterAll
  static void remove(Assay assay) {
    servers.close();
    upstream.close();
    Classes.remove(assay, CLASS);
    Classes.remove(assay, KEPT_CLASS);
  }

  @Test
  void theStatusHasTheToolsAndWhatTheyMayDo() {
    ToolServerStatus status = servers.awaitPhase(SERVER, ToolServerPhase.Connected);

    assertThat(status.conditions())
        .extracting(condition -> condition.getType() + " " + condition.getStatus())
        .containsExactlyInAnyOrder("Connected True", "Approved True");
    assertThat(Objects.requireNonNull(status.server()).name()).isEqualTo(CountingUpstream.NAME);
    assertThat(Objects.requireNonNull(status.counts()).listed()).isEqualTo(upstream.size());
    assertThat(status.counts().approved()).isEqualTo(upstream.size());
    assertThat(ToolServers.tool(status, "echo").permission()).isEqualTo(ToolPermission.READ);
    assertThat(ToolServers.tool(status, "count").permission()).isEqualTo(ToolPermission.WRITE);
    assertThat(ToolServers.tool(status, "erase").permission())
        .isEqualTo(ToolPermission.DESTRUCTIVE);
    servers.awaitUnavailable(DOWN, "The server does not accept connections.");
  }

  @Test
  void theCommandListsServersAndTheirTools() {
    int size = upstream.size();
    servers.awaitUnavailable(DOWN, "The server does not accept connections.");
    assertThat(assay.program("tools", "ls").orFail())
        .containsPattern("(?m)^%s +Connected +%d +0 +0 ".formatted(SERVER, size))
        .containsPattern("(?m)^%s +Connected +0 +%d +0 ".formatted(PINNED, size))
        .containsPattern("(?m)^%s +Disabled ".formatted(DISABLED))
        .containsPattern("(?m)^%s +Unavailable .*does not accept connections".formatted(DOWN));

    String tools = assay.program("tools", "describe", SERVER).orFail();
    assertThat(tools.lines()).hasSize(1 + size);
    assertThat(tools).containsPattern("(?m)^erase +Approved +destructive +");
    assertThat(assay.program("tools", "describe", SERVER, "echo").orFail())
        .contains("Approval:   Approved", "Permission: read", "Returns a value as it is.");
    assertThat(assay.program("tools", "describe", SERVER, "no-such-tool").exit()).isNotZero();
  }

  @Test
  void anAgentFindsTheToolsThatItMayCall() {
    String all = assay.call("search_tools", Map.of()).orFail().text();
    assertThat(all)
        .contains(SERVER + ": " + upstream.size() + " tools")
        .doesNotContain(DISABLED, QUARANTINED, PINNED + ":");

    assertThat(assay.call("search_tools", Map.of("query", "echo")).orFail().text())
        .contains("call_tool(\"" + SERVER + "\", \"echo\", {value?: ")
        .contains("Returns a value as it is.");

    String described =
        assay
            .call(
                "describe_tools",
                Map.of(
                    "tools",
                    List.of(
                        Map.of("server", SERVER, "tool", "wait"),
                        Map.of("server", PINNED, "tool", "wait"))))
            .orFail()
            .text();
    assertThat(described)
        .contains("call_tool(\"" + SERVER + "\", \"wait\"", "millis?: ", "takes a while")
        .contains("TOOL_NOT_FOUND: " + PINNED + " wait");
  }

  @Test
  void aCallReturnsTheDataOfTheToolToAnyClient() {
    Script script =
        Script.of("call_tool(input.server, 'echo', {value: input.value})")
            .input(Map.of("server", SERVER, "value", Map.of("list", List.of(1, "two"))));
    String expected = "{\"ok\":true,\"result\":{\"value\":{\"list\":[1,\"two\"]}}}";

    assertThat(script.value(assay)).hasToString(expected);
    assertThat(script.byRest(assay).path("value")).hasToString(expected);
    assertThat(script.byCommand(assay, 0).path("value")).hasToString(expected);
  }

  @Test
  void aBatchIsMadeAtOnceAndItsOutcomesAreInOrder() {
    JsonNode value =
        Script.of(
                """
                const requests = [];
                for (let i = 0; i < 8; i++) {
                  requests.push({server: 'counting', tool: 'wait', args: {id: input.id + i, millis: 3000 - 100 * i}});
                  requests.push({server: 'counting', tool: 'echo', args: {value: i}});
                }
                call_tools(requests, {max_parallel: 16}).map(outcome => outcome.result.value ?? outcome.result.calls)
                """)
            .input(Map.of("id", id))
            .options(Map.of("max_parallel", 16))
            .value(assay);

    assertThat(value).hasToString("[1,0,1,1,1,2,1,3,1,4,1,5,1,6,1,7]");
    assertThat(upstream.maxInProgress()).isBetween(8, 16);
  }

  @Test
  void pythonOfAClassWithToolsCallsThem() {
    Classes.likePython(
        assay, CLASS, spec -> spec.putObject("tools").putArray("servers").add(SERVER));
    AnalyticsRun run =
        runs.create(
            CLASS,
            """
            outcome = call_tool("counting", "echo", {"value": [1, 2]})
            print(outcome["result"]["value"], call_tool("counting-hurried", "echo")["error"]["code"])
            print([o["ok"] for o in call_tools([{"server": "counting", "tool": "echo"}] * 3)])
            """,
            60);
    AnalyticsRunStatus status = runs.awaitEnd(run);

    assertThat(Runs.output(status)).isEqualTo("[1, 2] ACCESS_DENIED\n[True, True, True]\n");
    assertThat(status.toolCalls()).isEqualTo(new ToolCallCounts(4, 0, 1));
  }

  @Test
  void eachCallThatHasNoResultSaysWhyAndWhetherItWasSent() {
    JsonNode value =
        Script.outcomes(
                List.of(
                    List.of(SERVER, "echo", "text"),
                    List.of("no-such-server", "echo", Map.of()),
                    List.of(DISABLED, "echo", Map.of()),
                    List.of(QUARANTINED, "echo", Map.of()),
                    List.of(SERVER, "ech", Map.of()),
                    List.of(PINNED, "echo", Map.of()),
                    List.of(DOWN, "echo", Map.of()),
                    List.of(SERVER, "fail", Map.of("message", "as asked")),
                    List.of(HURRIED, "wait", Map.of("id", id, "millis", 3000)),
                    List.of(SERVER, "bytes", Map.of("length", TOO_MANY_BYTES)),
                    List.of(SERVER, "bytes", Map.of("length", 10))))
            .value(assay);

    assertThat(texts(value))
        .containsExactly(
            "INVALID_ARGS no",
            "SERVER_NOT_FOUND no",
            "SERVER_DISABLED no",
            "SERVER_QUARANTINED no",
            "TOOL_NOT_FOUND no",
            "TOOL_NOT_APPROVED no",
            "UPSTREAM_UNAVAILABLE no",
            "UPSTREAM_ERROR yes",
            value.path(8).asText(),
            "RESULT_TOO_LARGE yes",
            "OK");
    assertThat(value.path(8).asText()).isIn("UPSTREAM_TIMEOUT unknown", "UPSTREAM_TIMEOUT yes");
    assertThat(upstream.calls(id)).isOne();
  }

  @Test
  void anErrorOfAToolHasItsTextAndAWrongNameThoseThatAreNear() {
    assertThat(error(SERVER, "fail", Map.of("message", "no order 17"))).isEqualTo("no order 17");
    assertThat(error(SERVER, "ecko", Map.of())).contains("Similar names: echo");
  }

  private String error(String server, String tool, Map<String, Object> args) {
    return Script.of("call_tool(input.server, input.tool, input.args).error.message")
        .input(Map.of("server", server, "tool", tool, "args", args))
        .value(assay)
        .asText();
  }

  @Test
  void whatACallerMayNotCallIsRefusedBeforeItIsLookedFor() {
    List<List<Object>> calls =
        List.of(
            List.of(SERVER, "echo", Map.of()),
            List.of(DOWN, "echo", Map.of()),
            List.of("no-such-server", "echo", Map.of()));

    assertThat(
            texts(
                Script.outcomes(calls)
                    .options(Map.of("allowed_servers", List.of(SERVER)))
                    .value(assay)))
        .containsExactly("OK", "SERVER_NOT_ALLOWED no", "SERVER_NOT_ALLOWED no");
    assertThat(outcomes(new ToolGrants(List.of(SERVER), null), calls))
        .containsExactly("OK", "ACCESS_DENIED no", "ACCESS_DENIED no");
    assertThat(outcomes(new ToolGrants(List.of(), null), calls)).containsOnly("ACCESS_DENIED no");
    assertThat(
            outcomes(
                new ToolGrants(null, List.of(ToolPermission.READ)),
                List.of(
                    List.of(SERVER, "echo", Map.of()),
                    List.of(SERVER, "count", Map.of("id", id)),
                    List.of(SERVER, "erase", Map.of("id", id)))))
        .containsExactly("OK", "PERMISSION_DENIED no", "PERMISSION_DENIED no");
    assertThat(upstream.calls(id)).isZero();
  }

  /** What each call of a run gets whose caller is granted this. */
  private List<String> outcomes(ToolGrants granted, List<List<Object>> calls) {
    AnalyticsRunStatus status =
        runs.awaitEnd(
            runs.create(
                spec(Script.outcomes(calls))
                    .withTools(RunToolsBuilder.builder().granted(granted).build())));
    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    return texts(Script.json(value(status)));
  }

  private static AnalyticsRunSpec spec(Script script) {
    return AnalyticsRunSpecBuilder.builder()
        .language(Language.JAVASCRIPT)
        .code((String) script.arguments().get("code"))
        .input(Rest.JSON.valueToTree(script.arguments().getOrDefault("input", Map.of())).toString())
        .build();
  }

  private static String value(AnalyticsRunStatus status) {
    return Objects.requireNonNull(Objects.requireNonNull(status.result()).value());
  }

  @Test
  void aScriptThatGoesOnBeyondItsNumberOfCallsIsEnded() {
    Script loop =
        Script.of(
                "for (var i = 0; i < 100; i++) { call_tool('counting', 'count', {id: input.id}); }")
            .input(Map.of("id", id))
            .options(Map.of("max_tool_calls", 10));
    JsonNode ended = loop.reply(assay);
    assertThat(ended.path("ok").asBoolean()).isFalse();
    assertThat(ended.at("/error/code").asText()).isEqualTo("MAX_TOOL_CALLS_EXCEEDED");
    assertThat(upstream.calls(id)).isEqualTo(10);

    String other = id + "-other";
    assertThat(
            texts(
                Script.outcomes(
                        List.of(
                            List.of(SERVER, "count", Map.of("id", other)),
                            List.of(SERVER, "count", Map.of("id", other)),
                            List.of(SERVER, "count", Map.of("id", other))))
                    .options(Map.of("max_tool_calls", 2))
                    .value(assay)))
        .containsExactly("OK", "OK", "MAX_TOOL_CALLS_EXCEEDED no");
    assertThat(upstream.calls(other)).isEqualTo(2);
  }

  @Test
  void theCallsOfARunAreCountedAndRecorded() {
    AnalyticsRun run =
        runs.create(
            spec(
                Script.outcomes(
                    List.of(
                        List.of(SERVER, "count", Map.of("id", id)),
                        List.of(SERVER, "fail", Map.of("message", "secret of the tool")),
                        List.of(DISABLED, "count", Map.of("id", id))))));
    AnalyticsRunStatus status = runs.awaitEnd(run);

    assertThat(status.toolCalls()).isEqualTo(new ToolCallCounts(2, 1, 1));
    String records = records(run);
    assertThat(calls(records))
        .containsExactly(
            "1 counting count OK yes",
            "2 counting fail UPSTREAM_ERROR yes",
            "3 counting-disabled count SERVER_DISABLED no");
    assertThat(records).doesNotContain(id, "secret of the tool");
  }

  @Test
  void aCallThatIsInProgressAtTheEndOfItsRunIsRecordedAsUnknown() {
    AnalyticsRun cancelled = runs.create(spec(held("cancelled")));
    AnalyticsRun late = runs.create(spec(held("late")).withTimeoutSeconds(5));
    upstream.awaitCall(id + "cancelled");
    upstream.awaitCall(id + "late");
    runs.cancel(cancelled);

    assertThat(runs.awaitEnd(cancelled).reason()).isEqualTo(RunReason.Cancelled);
    assertThat(runs.awaitEnd(late).reason()).isEqualTo(RunReason.DeadlineExceeded);
    assertThat(calls(records(cancelled)))
        .containsExactly("1 counting hold OUTCOME_UNKNOWN unknown");
    // A call may take no longer than its run, so that its own limit may be what ends it.
    assertThat(calls(records(late)))
        .singleElement()
        .isIn(
            "1 counting hold OUTCOME_UNKNOWN unknown", "1 counting hold UPSTREAM_TIMEOUT unknown");
    upstream.release(id + "cancelled");
    upstream.release(id + "late");
    assertThat(upstream.calls(id + "cancelled")).isOne();
    assertThat(upstream.calls(id + "late")).isOne();
  }

  private Script held(String what) {
    return Script.of("call_tool('counting', 'hold', {id: input.id})")
        .input(Map.of("id", id + what));
  }

  private String records(AnalyticsRun run) {
    return assay.rest().get("/runs/" + run.getMetadata().getName() + "/calls", 200).body();
  }

  private static List<String> calls(String records) {
    return StreamSupport.stream(Script.json(records).path("items").spliterator(), false)
        .map(
            call ->
                "%s %s %s %s %s"
                    .formatted(
                        call.path("call").asInt(),
                        call.path("server").asText(),
                        call.path("tool").asText(),
                        call.path("outcome").asText(),
                        call.path("sent").asText()))
        .toList();
  }

  @Test
  void aCredentialReachesItsServerAndNothingElse() {
    String token = "e2e-token-" + UUID.randomUUID();
    String secret = servers.credential("counting-token", token, upstream.url());
    servers.connect(
        SECRET, ToolServers.spec(upstream.url()).auth(new Auth(secret, null, null)).build());
    Classes.like(
        "javascript",
        assay,
        KEPT_CLASS,
        spec -> spec.put("podRetentionSeconds", KEPT_SECONDS).remove("warmPool"));
    AnalyticsRun run =
        runs.create(
            spec(Script.of(
                    """
                        const outcome = call_tool('counting-with-secret', 'headers', {});
                        console.log(JSON.stringify(outcome), JSON.stringify(outcome.raw));
                        outcome
                        """))
                .withClassName(KEPT_CLASS));
    AnalyticsRunStatus status = runs.awaitEnd(run);
    String name = run.getMetadata().getName();

    assertThat(upstream.lastHeaders())
        .containsEntry("authorization", "Bearer " + token)
        .containsEntry("x-assay-tool-call", "true");
    assertThat(Script.json(value(status)).at("/result/headers/authorization").asText())
        .isNotEmpty();
    assertThat(value(status) + Runs.output(status)).contains("authorization").doesNotContain(token);
    assertThat(assay.call("get_run", Map.of("name", name)).text()).doesNotContain(token);
    assertThat(assay.rest().get("/runs/" + name, 200).body()).doesNotContain(token);
    assertThat(assay.rest().get("/runs/" + name + "/calls", 200).body())
        .contains("\"headers\"")
        .doesNotContain(token);
    assertThat(assay.program("runs", "calls", name).orFail()).doesNotContain(token);
    assertThat(assay.rest().get("/tool-servers", 200).body())
        .contains(SECRET)
        .doesNotContain(token);
    assertThat(assay.rest().get("/tool-servers/" + SECRET + "/tools", 200).body())
        .contains("\"headers\"")
        .doesNotContain(token);
    assertThat(assay.call("search_tools", Map.of("query", SECRET)).text())
        .contains("headers")
        .doesNotContain(token);
    assertThat(
            Script.of("call_tool('counting-with-secret', 'headers', {})").value(assay).toString())
        .contains("authorization")
        .doesNotContain(token);
    assertThat(runs.awaitPod(run).getStatus().getPhase()).isNotEmpty();
    for (String namespace : namespaces()) {
      for (Class<? extends HasMetadata> kind :
          List.of(
              Pod.class,
              Event.class,
              ConfigMap.class,
              AnalyticsRun.class,
              ToolServer.class,
              Dataset.class)) {
        assertThat(
                Serialization.asYaml(
                    assay.kubernetes().resources(kind).inNamespace(namespace).list()))
            .as("%s in %s", kind.getSimpleName(), namespace)
            .doesNotContain(token);
      }
    }
    for (String log : assay.logs(runs.awaitPod(run))) {
      assertThat(log).doesNotContain(token);
    }
  }

  /** That of the runs, and on a cluster that of Assay's own Pods. */
  private List<String> namespaces() {
    return assay.installation().cluster() == null
        ? List.of(assay.namespace())
        : List.of(assay.namespace(), assay.installation().systemNamespace());
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }
}
