package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.execution.CodeResult;
import dev.assay.frontend.execution.ExecutionReplies;
import dev.assay.frontend.execution.FailureDocument;
import dev.assay.frontend.mcp.Json;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.token.TokenEstimate;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code execute_custom_analytics_code} with mode code, and its structured replies. */
class CodeModeTest {
  private static final Duration TICK = Duration.ofMillis(20);

  private final FakeRuns runs = new FakeRuns();
  private final FakeOutputs outputs = new FakeOutputs();
  private final FakeDatasets datasets =
      new FakeDatasets().with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
  private final FakeRunClasses classes =
      FakeRunClasses.usual()
          .with(FakeRunClasses.runClass("code", Purpose.Run, "runner:1", 120, 60));

  private Reply call(Map<String, Object> arguments) {
    ArtifactReader artifacts = new ArtifactReader(outputs);
    Map<String, Object> all = new HashMap<>(Map.of("python_code", "print(1)"));
    all.putAll(arguments);
    return AnalyticsTestBed.call(
        new ExecuteCustomAnalyticsCode(
            new ExecuteCustomAnalyticsCode.Settings("python", "code", 30, 120, 600, 50, TICK),
            datasets,
            new DatasetWait(TICK),
            new RunCall(
                runs,
                classes,
                new RunWait(runs, TICK, Duration.ofMillis(100)),
                new OutputReader(outputs, new ReplyBound(65_536, 20_000)),
                new ReplyArtifacts(artifacts),
                new RunNames(Clock.systemUTC())),
            new ExecutionReplies(new RunValues(outputs), artifacts)),
        all);
  }

  private Reply call(String arguments) {
    return call(
        Json.mapper()
            .readValue(arguments.replace('\'', '"'), new TypeReference<Map<String, Object>>() {}));
  }

  private AnalyticsRunSpec created() {
    return runs.created.getLast().getSpec();
  }

  private static CodeResult result(Reply reply) {
    return (CodeResult) Objects.requireNonNull(reply.structured());
  }

  @Test
  void codeModeHasItsClassItsTimeLimitAndNeedsNoDataset() {
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("1\n")));

    assertThat(call("{'mode': 'code'}").text()).isEqualTo("1\n");

    assertThat(created().mode()).isEqualTo(RunMode.CODE);
    assertThat(created().className()).isEqualTo("code");
    assertThat(created().timeoutSeconds()).isEqualTo(120);
    assertThat(created().datasetNames()).isEmpty();
    call(
        "{'mode': 'code', 'dataset_name': 'sales_data', 'run_class': 'python', 'timeout_seconds':"
            + " 5}");
    assertThat(created().className()).isEqualTo("python");
    assertThat(created().timeoutSeconds()).isEqualTo(5);
    assertThat(created().datasetNames()).containsExactly("sales-data");
  }

  @Test
  void filesInputsAndFramesToKeepReachTheRun() {
    runs.with(Fixtures.run("run-a", null)).with(Fixtures.run("run-b", null));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));

    call(
        "{'dataset_name': 'sales_data', 'files': {'lib/a.py': 'x = 1', 'b.csv': ''}, 'inputs':"
            + " [{'run': 'run-a'}, {'run': 'run-b', 'artifact': 'a.csv', 'path': 'in/a.csv'}],"
            + " 'keep': ['by_region']}");

    assertThat(created().mode()).isNull();
    assertThat(created().files())
        .containsExactly(new RunFile("lib/a.py", "x = 1"), new RunFile("b.csv", ""));
    assertThat(created().inputs())
        .containsExactly(
            new RunInput("run-a", null, null), new RunInput("run-b", "a.csv", "in/a.csv"));
    assertThat(created().keep()).containsExactly("by_region");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'mode': 'fast'}|ValueError: 'mode' must be one of standard, code",
        "{'mode': 'code', 'files': []}|TypeError: 'files' must be an object, not an array",
        "{'mode': 'code', 'files': {'../a': ''}}|ValueError: 'files': '../a' must be a relative"
            + " path",
        "{'mode': 'code', 'files': {'.work/a': ''}}|ValueError: 'files': the path '.work/a' is"
            + " reserved for code mode; use another path",
        "{'mode': 'code', 'files': {'/a': ''}}|ValueError: 'files': '/a' must be a relative path",
        "{'mode': 'code', 'files': {'a': 7}}|TypeError: 'files': the text of 'a' must be a string",
        "{'mode': 'code', 'inputs': [{}]}|TypeError: missing argument 'run'",
        "{'mode': 'code', 'inputs': [{'run': '../x'}]}|ValueError: 'inputs': '../x' is not the"
            + " name",
        "{'mode': 'code', 'inputs': [{'run': 'r', 'path': 'a'}]}|ValueError: 'inputs': 'path'"
            + " requires",
        "{'mode': 'code', 'inputs': [{'run': 'r', 'artifact': '../a'}]}|ValueError: 'inputs':"
            + " '../a' must be",
        "{'mode': 'code', 'keep': ['a b']}|ValueError: 'keep[0]' must be the name of a variable",
        "{'mode': 'code', 'keep': 'df'}|TypeError: 'keep' must be an array, not a string",
        "{}|TypeError: missing argument 'dataset_name'",
      })
  void aBadArgumentIsNamed(String arguments, String message) {
    assertThat(call(arguments).text()).startsWith("EXECUTION ERROR: " + message);
    assertThat(runs.created).isEmpty();
  }

  @Test
  void filesThatAreTooLongTogetherAreRefused() {
    assertThat(call(Map.of("mode", "code", "files", Map.of("a", "é".repeat(131_073)))).text())
        .isEqualTo(
            "EXECUTION ERROR: ValueError: 'files' has 262146 bytes of UTF-8; at most 262144 are"
                + " allowed");
  }

  @Test
  void theResultNamesTheCodeTheLogsAndTheArtifacts() {
    runs.operator(
        (fake, run) -> {
          String uid = run.getMetadata().getUid();
          byte[] errors = "warning: \u001b[1mx\n".getBytes(UTF_8);
          byte[] report = "<p>".getBytes(UTF_8);
          outputs.artifact(uid, 2, errors);
          fake.status(
              run,
              Fixtures.succeeded("printed\n")
                  .withArtifacts(
                      List.of(
                          artifact(".work/generated/alice_run.py", "print(1)".getBytes(UTF_8)),
                          artifact(".work/logs/alice_run.err", errors),
                          artifact("reports/report.html", report))));
        });

    Reply reply = call("{'mode': 'code'}");

    String name = runs.created.getFirst().getMetadata().getName();
    assertThat(result(reply))
        .isEqualTo(
            new CodeResult(
                true,
                ".work/generated/alice_run.py",
                new CodeResult.Logs("printed\n", "warning: \uFFFD[1mx\n"),
                List.of(
                    new CodeResult.File(
                        "reports/report.html",
                        "assay://runs/" + name + "/artifacts/reports/report.html",
                        3,
                        "text/html")),
                null,
                null,
                null,
                null,
                0,
                new CodeResult.Metadata("code", name, "alice", "code")));
    assertThat(reply.content()).hasSize(3).last().isInstanceOf(ContentBlock.ResourceLink.class);
  }

  @Test
  void ofManyFilesTheFirstAreListedAndAllAreCounted() {
    List<RunArtifact> files =
        IntStream.range(0, 100)
            .mapToObj(number -> artifact("reports/" + "ä".repeat(110) + number, new byte[1]))
            .toList();
    String message = "2 over the 100 files that a run may leave (a.txt, b.txt).";
    runs.operator(
        (fake, run) ->
            fake.status(
                run, Fixtures.succeeded("").withArtifacts(files).withArtifactsMessage(message)));

    CodeResult result = result(call("{'mode': 'code'}"));

    assertThat(result.artifacts()).hasSizeBetween(1, 20);
    assertThat(result.artifactsTotal()).isEqualTo(100);
    assertThat(result.artifactsLeftOut()).isEqualTo(message);
    assertThat(TokenEstimate.of(Json.mapper().writeValueAsString(result))).isLessThan(1_500);
  }

  private static RunArtifact artifact(String path, byte[] bytes) {
    return Fixtures.artifact(path, bytes, path.endsWith("html") ? "text/html" : "text/plain");
  }

  @Test
  void aRefusalOfTheGuardIsItsTextAndAllViolations() {
    String text = "Code safety validation failed:\n- line 3: import os: Operating system access";
    String report =
        """
        {"violations":[{"pattern":"import os","line":3,"severity":"high",
          "reason":"Operating system access not allowed"}],"total":1,
         "alternatives":["Use pathlib for paths"]}\
        """;
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.Failed,
                    RunReason.GuardRefused,
                    "The guard refused the code",
                    PayloadStarted.No,
                    Fixtures.result("", new RunError("GuardRefused", text, 3, null, null, null))
                        .withValue(report)
                        .withValueBytes((long) report.length()))));

    Reply reply = call("{'mode': 'code', 'python_code': 'import os'}");

    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).isEqualTo(text);
    JsonNode json = json(reply);
    assertThat(json.get("success").asBoolean()).isFalse();
    assertThat(json.get("status").asString()).isEqualTo("error");
    assertThat(json.at("/error_details/type").asString()).isEqualTo("SecurityViolation");
    assertThat(json.at("/error_details/violations/0"))
        .hasToString(
            "{\"pattern\":\"import os\",\"line\":3,\"severity\":\"high\","
                + "\"reason\":\"Operating system access not allowed\"}");
    assertThat(json.at("/suggested_alternatives/0").asString()).isEqualTo("Use pathlib for paths");
    assertThat(json.get("error").asString()).startsWith("Code safety validation failed:");
    assertThat(json.get("code_path").asString()).startsWith("assay://runs/run-").endsWith("/code");
  }

  @Test
  void aReportThatIsNoneIsNotBelieved() {
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.Failed,
                    RunReason.GuardRefused,
                    "The guard refused the code",
                    PayloadStarted.No,
                    Fixtures.result("", null).withValue("[7]").withValueBytes(3L))));

    Reply reply = call("{'mode': 'code'}");

    assertThat(reply.text()).isEqualTo("Code safety validation failed: The guard refused the code");
    assertThat(json(reply).at("/error_details/violations").isMissingNode()).isTrue();
  }

  private static JsonNode json(Reply reply) {
    return JsonMapper.shared().valueToTree(reply.structured());
  }

  private void timesOut() {
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.TimedOut,
                    RunReason.DeadlineExceeded,
                    "too long",
                    PayloadStarted.Yes,
                    Fixtures.result("step 1\nstep 2\n", null))));
  }

  @Test
  void aTimeoutOfCodeModeHasItsOwnWords() {
    timesOut();

    Reply reply = call("{'mode': 'code', 'timeout_seconds': 7}");

    assertThat(reply.text())
        .isEqualTo("step 1\nstep 2\nTIMEOUT: Execution timed out after 7 seconds");
    assertThat(result(reply).error()).isEqualTo("Execution timed out after 7 seconds");
    assertThat(json(reply).get("status").asString()).isEqualTo("timeout");
    assertThat(json(reply).at("/partial_results/last_output").asString()).isEqualTo("step 2");
    assertThat(json(reply).get("recommendations").size()).isEqualTo(3);
  }

  @Test
  void aStandardRunThatSucceedsIsTextAlone() {
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("(3, 2)\n")));

    Reply reply = call("{'dataset_name': 'sales_data'}");

    assertThat(reply).isEqualTo(Reply.success("(3, 2)\n"));
  }

  @Test
  void aStandardRunThatFailsSaysWhatToDoNextAndTheSameAsAnObject() {
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.Failed,
                    RunReason.CodeError,
                    "raised",
                    PayloadStarted.Yes,
                    Fixtures.result(
                        "one\n", new RunError("KeyError", "'c'", 2, null, "Traceback", null)))));

    Reply reply = call("{'dataset_name': 'sales_data', 'python_code': 'print(1)\\ndf[3]'}");

    assertThat(reply.text())
        .isEqualTo(
            "one\nERROR: KeyError: 'c'\nTraceback:\nTraceback\n"
                + "Column 'c' not found. Did you mean 'a'?");
    FailureDocument document = (FailureDocument) Objects.requireNonNull(reply.structured());
    assertThat(Objects.requireNonNull(document.errorDetails()).codeSnippet()).isEqualTo("df[3]");
    assertThat(document.errorDetails().suggestion())
        .isEqualTo("Column 'c' not found. Did you mean 'a'?");
    assertThat(Objects.requireNonNull(document.partialOutputs()).executedLines()).isEqualTo(1);
  }

  @Test
  void aStandardTimeoutKeepsItsWords() {
    timesOut();

    Reply reply = call("{'dataset_name': 'sales_data'}");

    assertThat(reply.text())
        .isEqualTo("step 1\nstep 2\nTIMEOUT: Code execution exceeded 30 second limit");
    assertThat(json(reply).get("execution_time").asDouble()).isEqualTo(30.0);
    AnalyticsRun run = runs.created.getFirst();
    assertThat(run.getSpec().mode()).isNull();
  }
}
