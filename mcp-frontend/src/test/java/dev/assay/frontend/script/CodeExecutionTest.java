package dev.assay.frontend.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.watch.ClusterException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The tool {@code code_execution}, as an agent sees it. */
class CodeExecutionTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final TestEndpoint endpoint = new TestEndpoint();

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aScriptBecomesARunAndItsValueTheReply() {
    ends(
        Fixtures.returned("{\"total\":6.5}")
            .withTimings(
                RunTimingsBuilder.builder()
                    .queued("2026-01-02T03:04:05.000Z")
                    .bound("2026-01-02T03:04:05.012Z")
                    .started("2026-01-02T03:04:05.020Z")
                    .finished("2026-01-02T03:04:05.023Z")
                    .build()));

    JsonNode result =
        call(
            "{'code': 'input.a', 'language': 'typescript', 'input': {'a': [1.0, 12345678901234567890]},"
                + " 'options': {'timeout_ms': 1500}}");

    assertThat(result.get("isError").asBoolean()).isFalse();
    String name = endpoint.runs.created.getFirst().getMetadata().getName();
    assertThat(result.get("structuredContent"))
        .hasToString(
            "{\"ok\":true,\"value\":{\"total\":6.5},\"logs\":[],\"execution_id\":\""
                + name
                + "\",\"stats\":{\"queue_ms\":12,\"duration_ms\":3,\"tool_calls\":{\"sent\":0,\"failed\":0,\"refused\":0}}}");
    assertThat(result.at("/content/0/text").asString())
        .isEqualTo(result.get("structuredContent").toString());
    AnalyticsRunSpec spec = created();
    assertThat(spec.language()).isEqualTo(Language.TYPESCRIPT);
    assertThat(spec.code()).isEqualTo("input.a");
    assertThat(spec.input()).isEqualTo("{\"a\":[1.0,12345678901234567890]}");
    assertThat(spec.timeoutMillis()).isEqualTo(1500);
    assertThat(spec.timeoutSeconds()).isNull();
    assertThat(spec.className()).isEqualTo("javascript");
    assertThat(spec.tool()).isEqualTo("code_execution");
    assertThat(spec.caller()).isEqualTo("alice");
  }

  @Test
  void whatACallLeavesOutHasTheDefaultsOfTheInstallation() throws IOException {
    ends(Fixtures.returned("null"));
    JsonNode result = call("{'code': '1', 'options': null, 'input': null}");

    assertThat(result.at("/structuredContent/ok").asBoolean()).isTrue();
    assertThat(result.at("/structuredContent/value").isNull()).isTrue();
    assertThat(created().language()).isEqualTo(Language.JAVASCRIPT);
    assertThat(created().input()).isEqualTo("{}");
    assertThat(created().timeoutMillis()).isEqualTo(120_000);
    try (TestEndpoint other =
        new TestEndpoint(new CodeExecution(true, "scripts", 30_000, null, null))) {
      other.runs.operator((fake, run) -> fake.status(run, Fixtures.returned("1")));
      call(other, "{'code': '1'}");
      AnalyticsRunSpec spec = other.runs.created.getFirst().getSpec();
      assertThat(spec.timeoutMillis()).isEqualTo(30_000);
      assertThat(spec.className()).isEqualTo("scripts");
    }
  }

  @Test
  void theSameScriptIsRunEachTimeWhateverKeyAnEarlierRunHas() {
    ends(Fixtures.returned("{\"cacheable\":true}").withCacheKey("00"));

    call("{'code': '({cacheable: true})'}");
    call("{'code': '({cacheable: true})'}");

    assertThat(endpoint.runs.created).hasSize(2);
  }

  @Test
  void anErrorOfTheScriptHasItsCodeAndItsPlace() {
    ends(
        Fixtures.status(
            RunPhase.Failed,
            RunReason.CodeError,
            "Error: no",
            PayloadStarted.Yes,
            Fixtures.result(
                "before\n",
                RunErrorBuilder.builder()
                    .type("Error")
                    .message("no")
                    .line(2)
                    .column(11)
                    .code("RUNTIME_ERROR")
                    .traceback("Error: no\n    at script:2:11\n")
                    .build())));

    JsonNode result = call("{'code': 'throw new Error(1)'}");

    assertThat(result.get("isError").asBoolean()).isTrue();
    assertThat(result.at("/structuredContent/ok").asBoolean()).isFalse();
    assertThat(result.at("/structuredContent/error"))
        .hasToString(
            "{\"code\":\"RUNTIME_ERROR\",\"message\":\"no\",\"stack\":\"Error: no\\n    at"
                + " script:2:11\",\"line\":2,\"column\":11}");
    assertThat(result.at("/structuredContent/logs")).hasToString("[\"before\"]");
    assertThat(result.at("/structuredContent").has("value")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "SYNTAX_ERROR, SYNTAX_ERROR",
    "TRANSPILE_ERROR, TRANSPILE_ERROR",
    "SERIALIZATION_ERROR, SERIALIZATION_ERROR",
    "MAX_TOOL_CALLS_EXCEEDED, MAX_TOOL_CALLS_EXCEEDED",
    "COLUMN_NOT_FOUND, RUNTIME_ERROR",
  })
  void theCodesOfTheWorkerAreThoseOfTheReply(String reported, String shown) {
    ends(
        Fixtures.status(
            RunPhase.Failed,
            RunReason.CodeError,
            "m",
            PayloadStarted.Yes,
            Fixtures.result(
                "", RunErrorBuilder.builder().type("E").message("m").code(reported).build())));

    assertThat(code(call("{'code': '1'}"))).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TimedOut|DeadlineExceeded|Yes|TIMEOUT|JavaScript execution timed out",
        "Cancelled|Cancelled|Yes|CANCELLED|said",
        "Failed|MemoryExceeded|Yes|MEMORY_EXCEEDED|said",
        "Failed|StartFailed|No|EXECUTION_FAILED|said. The script was not started: retrying is safe.",
        "Failed|InvalidSpec|No|EXECUTION_FAILED|said. The script was not started, and the same call"
            + " will fail in the same way.",
        "Failed|PodLost|Yes|EXECUTION_FAILED|said. The script was started. Assay does not retry"
            + " it.",
        "Failed|RunnerLost|Unknown|EXECUTION_FAILED|said. It is unknown whether the script was"
            + " started. Assay does not retry it.",
        "Failed|CodeError|Yes|EXECUTION_FAILED|said. The script was started. Assay does not retry"
            + " it.",
      })
  void otherEndsHaveCodesToo(
      RunPhase phase, RunReason reason, PayloadStarted started, String code, String message) {
    ends(Fixtures.status(phase, reason, "said", started, null));

    JsonNode result = call("{'code': '1'}");

    assertThat(code(result)).isEqualTo(code);
    assertThat(result.at("/structuredContent/error/message").asString()).isEqualTo(message);
    assertThat(result.at("/structuredContent/error").has("payload_started"))
        .isEqualTo(code.equals("EXECUTION_FAILED"));
  }

  @ParameterizedTest
  @MethodSource("dev.assay.frontend.script.InvalidScripts#all")
  void whatIsWrongWithACallIsNamedAndNothingIsStarted(
      String arguments, ScriptErrorCode code, String message) {
    JsonNode result = call(arguments);

    assertThat(result.get("isError").asBoolean()).isTrue();
    assertThat(result.get("structuredContent"))
        .hasToString(
            JSON.createObjectNode()
                .put("ok", false)
                .set(
                    "error",
                    JSON.createObjectNode().put("code", code.name()).put("message", message))
                .toString()
                .replaceFirst("}$", ",\"logs\":[]}"));
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void anOptionThatIsNullIsOneThatIsNotThere() {
    ends(Fixtures.returned("1"));

    call(
        "{'code': '1', 'script': null, 'language': null, 'options': {'timeout_ms': null,"
            + " 'max_tool_calls': null, 'allowed_servers': null, 'max_parallel': null}}");

    assertThat(created().timeoutMillis()).isEqualTo(120_000);
    assertThat(created().tools()).isEqualTo(new RunTools(null, 0, 8, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'code': '1', 'input': %s}|'params.arguments.input' is nested too deeply, or has too long a"
            + " number or name",
        "{'code': '1', 'options': {'timeout_ms': %s}}|'params.arguments.options' is nested too deeply,"
            + " or has too long a number or name",
      })
  void whatIsNestedTooDeeplyIsNamed(String arguments, String message) {
    String deep = "{'a':".repeat(10_000) + "1" + "}".repeat(10_000);

    assertThat(
            JSON.readTree(endpoint.post(request(arguments.formatted(deep))).body())
                .at("/error/message")
                .asString())
        .isEqualTo(message);
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void aNumberWithoutEndIsNamed() {
    String arguments = "{'code': '1', 'options': {'timeout_ms': " + "9".repeat(500) + "}}";

    assertThat(
            JSON.readTree(endpoint.post(request(arguments)).body()).at("/error/message").asString())
        .isEqualTo(
            "'params.arguments.options' is nested too deeply, or has too long a number or"
                + " name");
  }

  @Test
  void anInputThatIsTooLongIsRefused() {
    String message =
        call("{'code': '1', 'input': {'a': '" + "x".repeat(262_144) + "'}}")
            .at("/structuredContent/error/message")
            .asString();

    assertThat(message)
        .isEqualTo(
            "'input' has 262152 bytes of UTF-8; at most 262144 are allowed. Have the script get the"
                + " data itself");
    assertThat(code(call("{'code': '1', 'input': {'a': '" + "x".repeat(2_000_000) + "'}}")))
        .isEqualTo("INVALID_ARGS");
    assertThat(message(call("{'code': '" + "x".repeat(262_145) + "'}")))
        .isEqualTo("'code' has 262145 bytes of UTF-8; at most 262144 are allowed");
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void aToolThatIsSwitchedOffIsNotListedAndSaysSo() throws IOException {
    try (TestEndpoint off = new TestEndpoint(CodeExecution.OFF)) {
      assertThat(
              off.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}")
                  .body())
          .contains("execute_custom_analytics_code")
          .doesNotContain("code_execution\"");

      JsonNode result = call(off, "{'code': '1'}");

      assertThat(result.get("isError").asBoolean()).isTrue();
      assertThat(code(result)).isEqualTo("FEATURE_DISABLED");
      assertThat(result.at("/structuredContent/error/message").asString())
          .isEqualTo(
              "code_execution is disabled: enable_code_execution turns it on, which is"
                  + " codeExecution.enabled in the values of the chart");
      assertThat(off.runs.created).isEmpty();
    }
  }

  @Test
  void aStoredScriptIsCopiedIntoTheRun() {
    endpoint.scripts.with("team", "report", Language.TYPESCRIPT, "let a: number = 1; a");
    ends(Fixtures.returned("1"));

    assertThat(call("{'script': 'report'}").get("isError").asBoolean()).isFalse();

    assertThat(created().code()).isEqualTo("let a: number = 1; a");
    assertThat(created().script()).isEqualTo("report");
    assertThat(created().language()).isEqualTo(Language.TYPESCRIPT);
  }

  @Test
  void aStoredScriptThatCannotBeMeantIsRefused() {
    assertThat(message(call("{'script': 'a'}")))
        .isEqualTo("there is no stored script 'a': none is stored in your namespace");
    endpoint.scripts.with("team", "report", Language.TYPESCRIPT, "1");
    endpoint.scripts.with("team", "twice", Language.JAVASCRIPT, "1");
    endpoint.scripts.with("other", "twice", Language.TYPESCRIPT, "1");
    endpoint.scripts.with("team", "long", Language.JAVASCRIPT, "x".repeat(262_145));

    JsonNode unknown = call("{'script': 'reprot'}");
    assertThat(code(unknown)).isEqualTo("SCRIPT_NOT_FOUND");
    assertThat(message(unknown))
        .isEqualTo(
            "there is no stored script 'reprot'; did you mean 'report'? The scripts are long,"
                + " report, twice");
    JsonNode ambiguous = call("{'script': 'twice'}");
    assertThat(code(ambiguous)).isEqualTo("INVALID_ARGS");
    assertThat(message(ambiguous))
        .isEqualTo(
            "'script' is ambiguous: 'twice' is stored 2 times, in other/twice.ts, team/twice.js");
    JsonNode other = call("{'script': 'report', 'language': 'javascript'}");
    assertThat(code(other)).isEqualTo("INVALID_LANGUAGE");
    assertThat(message(other))
        .isEqualTo("'language' is javascript, and the script 'report' is typescript: leave it out");
    assertThat(message(call("{'script': 'long'}")))
        .isEqualTo("the script 'long' has 262145 bytes of UTF-8; at most 262144 are allowed");
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void aClusterThatRefusesIsAnErrorWithACode() {
    endpoint.runs.refusal =
        ClusterException.refused("the cluster refused it: quota", new IllegalStateException());

    JsonNode result = call("{'code': '1'}");

    assertThat(code(result)).isEqualTo("EXECUTION_FAILED");
    assertThat(message(result)).startsWith("the cluster refused it: quota (request ");
  }

  @Test
  void theFirstLinesOfTheOutputAreLogsAndTheRestIsAnnounced() {
    ends(Fixtures.succeeded("a\n\nb\n"));
    assertThat(call("{'code': '1'}").at("/structuredContent/logs"))
        .hasToString("[\"a\",\"\",\"b\"]");

    ends(Fixtures.succeeded("x\n".repeat(101)));
    JsonNode lines = call("{'code': '1'}").at("/structuredContent/logs");
    assertThat(lines.size()).isEqualTo(101);
    assertThat(lines.get(100).asString())
        .matches("\\[202 bytes in all; get_run\\(name=\"run-\\w+\"\\) shows them]");

    ends(Fixtures.succeeded("y".repeat(9_000)));
    JsonNode long_ = call("{'code': '1'}").at("/structuredContent/logs");
    assertThat(long_.get(0).asString()).hasSize(8_192);
    assertThat(long_.get(1).asString()).startsWith("[9000 bytes in all; ");
  }

  @Test
  void aLongValueIsReadFromTheStore() {
    isStored("\"" + "v".repeat(20_000) + "\"");

    assertThat(call("{'code': '1'}").at("/structuredContent/value").asString()).hasSize(20_000);
    endpoint.outputs.reachable(false);
    JsonNode unreadable = call("{'code': '1'}");
    assertThat(code(unreadable)).isEqualTo("EXECUTION_FAILED");
    assertThat(message(unreadable))
        .isEqualTo(
            "the script has ended, and the result cannot be read now: the output store could not be"
                + " reached. The script was started. Assay does not retry it.");
  }

  @Test
  void aLongReplyIsCutAsTextAndWholeAsStructuredContent() {
    int words = 40_000;
    isStored("\"" + "word ".repeat(words) + "\"");

    JsonNode result = call("{'code': '1'}");

    assertThat(result.at("/structuredContent/value").asString()).hasSize(5 * words);
    assertThat(result.at("/content/0/text").asString())
        .hasSizeLessThan(5 * words)
        .endsWith(" more tokens: ask for less]");
  }

  /** Each run ends with a value that no status holds. */
  private void isStored(String value) {
    endpoint.runs.operator(
        (fake, run) -> {
          endpoint.outputs.value(run.getMetadata().getUid(), value);
          fake.status(
              run,
              Fixtures.succeeded("")
                  .withResult(
                      Fixtures.result("", null)
                          .withValueBytes((long) value.length())
                          .withValueDigest(dev.assay.api.digest.Sha256.hex(value))));
        });
  }

  @Test
  void limitsOfCallsAndWhatTheKeyGrantsAreOfTheRun() {
    ends(Fixtures.returned("1"));

    call(
        "{'code': '1', 'options': {'max_tool_calls': 3, 'allowed_servers': ['github'],"
            + " 'max_parallel': 2}}");
    assertThat(created().tools()).isEqualTo(new RunTools(List.of("github"), 3, 2, null));
    call("{'code': '1', 'options': {'allowed_servers': []}}");
    assertThat(created().tools()).as("all of them").isEqualTo(new RunTools(null, 0, 8, null));
    call("{'code': '1', 'options': {'allowed_servers': ['*']}}");
    assertThat(created().tools()).isEqualTo(new RunTools(List.of("*"), 0, 8, null));

    JSON.readTree(
        endpoint
            .send(
                endpoint
                    .request(request("{'code': '1'}"))
                    .header("X-API-Key", "carol-reading-key")
                    .build())
            .body());
    assertThat(created().tools()).isEqualTo(new RunTools(null, 0, 8, TestEndpoint.READING));
  }

  @Test
  void aReplyWithContentOfOtherServersIsMarked() {
    ends(Fixtures.returned("1").withToolCalls(new ToolCallCounts(2, 1, 0)));
    JsonNode result = call("{'code': '1'}");
    assertThat(result.get("_meta")).hasToString("{\"assay.dev/untrusted-content\":true}");
    assertThat(result.at("/structuredContent/stats/tool_calls"))
        .hasToString("{\"sent\":2,\"failed\":1,\"refused\":0}");

    ends(Fixtures.returned("1").withToolCalls(new ToolCallCounts(0, 0, 1)));
    assertThat(call("{'code': '1'}").has("_meta")).as("a refused call").isTrue();
    ends(Fixtures.returned("1"));
    assertThat(call("{'code': '1'}").has("_meta")).as("not known").isTrue();
    ends(Fixtures.returned("1").withToolCalls(ToolCallCounts.NONE));
    assertThat(call("{'code': '1'}").has("_meta")).as("no call").isFalse();
    ends(
        Fixtures.status(RunPhase.Failed, RunReason.StartFailed, "no Pod", PayloadStarted.No, null));
    assertThat(call("{'code': '1'}").has("_meta")).as("not started").isFalse();

    ends(
        Fixtures.status(RunPhase.Failed, RunReason.PodLost, "lost", PayloadStarted.Yes, null)
            .withToolCalls(new ToolCallCounts(2, 1, 0)));
    assertThat(message(call("{'code': '1'}")))
        .isEqualTo(
            "lost. The script was started. Assay does not retry it. It had sent 2 calls of tools.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "code_execution",
        "execute_custom_analytics_code",
        "execute_query",
        "profile_dataset",
        "stream_sample",
        "export_result"
      })
  void theCodeOfARunThatCallsTheEndpointBackCreatesNoRun(String tool) {
    String call =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
            .formatted(tool);
    String arguments = "\"arguments\":{\"code\":\"1\"}}}";
    HttpRequest marked =
        endpoint
            .request(call + "\"_meta\":{\"assay.dev/tool-call\":true}," + arguments)
            .header("X-API-Key", "alice-key")
            .build();
    HttpRequest withHeader =
        endpoint
            .request(call + arguments)
            .header("X-API-Key", "alice-key")
            .header("X-Assay-Tool-Call", "true")
            .build();

    for (HttpRequest request : List.of(marked, withHeader)) {
      assertThat(JSON.readTree(endpoint.send(request).body()).at("/error/message").asString())
          .startsWith("The code of a run cannot create runs through call_tool");
    }
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void theCodeOfARunMayCallWhatCreatesNoRun() {
    JsonNode answer =
        JSON.readTree(
            endpoint
                .send(
                    endpoint
                        .request(request("{}").replace("code_execution", "list_runs"))
                        .header("X-API-Key", "alice-key")
                        .header("X-Assay-Tool-Call", "true")
                        .build())
                .body());

    assertThat(answer.at("/result/isError").asBoolean()).isFalse();
    assertThat(answer.has("error")).isFalse();
  }

  private void ends(AnalyticsRunStatus status) {
    endpoint.runs.operator((fake, run) -> fake.status(run, status));
  }

  private AnalyticsRunSpec created() {
    return endpoint.runs.created.getLast().getSpec();
  }

  private static String code(JsonNode result) {
    return result.at("/structuredContent/error/code").asString();
  }

  private static String message(JsonNode result) {
    return result.at("/structuredContent/error/message").asString();
  }

  /** Many clients give up after 60 s, and would never hear of the run. */
  @Test
  void aScriptThatGoesOnIsNoErrorAndNamesTheCallThatShowsItsValue() {
    try (TestEndpoint waiting = TestEndpoint.waiting(1)) {
      JsonNode result = call(waiting, "{'code': '1'}");

      String name = waiting.runs.created.getFirst().getMetadata().getName();
      assertThat(result.get("isError").asBoolean()).isFalse();
      JsonNode said = result.get("structuredContent");
      assertThat(said.get("ok").asBoolean()).isFalse();
      assertThat(said.at("/error/code").asString()).isEqualTo("IN_PROGRESS");
      assertThat(said.at("/error/message").asString())
          .startsWith("The run " + name + " continues: Pending after 1 s. get_run(name=\"" + name)
          .contains(", wait_seconds=30) waits for its end and shows its value;");
      assertThat(said.get("execution_id").asString()).isEqualTo(name);
      assertThat(waiting.runs.cancelled).isEmpty();
    }
  }

  private JsonNode call(String arguments) {
    return call(endpoint, arguments);
  }

  private static JsonNode call(TestEndpoint to, String arguments) {
    return JSON.readTree(to.post(request(arguments)).body()).get("result");
  }

  private static String request(String arguments) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
        + "\"code_execution\",\"arguments\":"
        + arguments.replace('\'', '"')
        + "}}";
  }
}
