package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.Await;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RowsPage;
import dev.assay.frontend.run.RunList;
import dev.assay.frontend.run.RunReport;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.StoredTables;
import dev.assay.frontend.token.TokenEstimate;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** {@code get_run}, {@code list_runs} and {@code cancel_run}. */
class RunToolsTest {
  /** Of text, and as many again of structured content. */
  private static final int REPLY = 65_536;

  private static final AnalyticsRunStatus RUNNING =
      Fixtures.status(
          RunPhase.Running, RunReason.Started, "The code is running", PayloadStarted.Yes, null);

  private final FakeRuns runs = new FakeRuns();
  private final FakeRunClasses classes = FakeRunClasses.usual();
  private final FakeOutputs outputs = new FakeOutputs();
  private final Map<String, StoredTables.Part> tables = new HashMap<>();

  @Test
  void aRunThatHasEndedIsShownWithWhatItsCallerWasAnswered() {
    runs.with(Fixtures.run("run-a", Fixtures.succeeded("42\n")));
    runs.with(Fixtures.run("run-b", Fixtures.succeeded("")));
    runs.with(
        Fixtures.run(
            "run-c",
            Fixtures.status(
                RunPhase.Failed,
                RunReason.CodeError,
                "KeyError: 'x'",
                PayloadStarted.Yes,
                Fixtures.result(
                    "before\n",
                    RunErrorBuilder.builder()
                        .type("KeyError")
                        .message("'x'")
                        .line(1)
                        .traceback("Trace")
                        .build()))));

    assertThat(get("run-a").isError()).isFalse();
    assertThat(get("run-a").text()).isEqualTo("Run run-a: Succeeded, dataset sales-data\n\n42\n");
    assertThat(get("run-b").text()).endsWith("\n\n[it printed nothing]");
    assertThat(get("run-c").isError()).isFalse();
    assertThat(get("run-c").text())
        .startsWith("Run run-c: Failed (CodeError)")
        .endsWith("\n\nbefore\nERROR: KeyError: 'x'\nTraceback:\nTrace");
  }

  @Test
  void aRunOfANewerVersionIsShownAsOneThatGoesOn() {
    runs.with(
        Fixtures.run(
            "run-a",
            Fixtures.status(
                RunPhase.Unknown, RunReason.Unknown, "It waits for a license", null, null)));

    assertThat(get("run-a").isError()).isFalse();
    assertThat(get("run-a").text())
        .startsWith("Run run-a: Unknown")
        .contains("It waits for a license")
        .doesNotContain("ailed");
  }

  @Test
  void howLongARunTookIsShown() {
    runs.with(
        Fixtures.run(
            "run-a",
            Fixtures.succeeded("")
                .withTimings(
                    RunTimingsBuilder.builder()
                        .started("2026-01-02T03:04:05.000Z")
                        .finished("2026-01-02T03:04:06.500Z")
                        .build())));

    assertThat(get("run-a").text())
        .startsWith("Run run-a: Succeeded, dataset sales-data, took 1500 ms\n\n");
  }

  @Test
  void howManyToolsARunHasCalledIsShownAndWhereTheRecordsAre() {
    runs.with(
        Fixtures.run("run-a", Fixtures.succeeded("").withToolCalls(new ToolCallCounts(3, 1, 2))));
    runs.with(Fixtures.run("run-b", Fixtures.succeeded("").withToolCalls(ToolCallCounts.NONE)));

    assertThat(get("run-a").text())
        .contains(
            "\nCalls of tools: 3 sent, 1 failed, 2 refused; GET /api/v1/runs/run-a/calls lists"
                + " them\n\n");
    assertThat(get("run-b").text()).doesNotContain("Calls");
  }

  @Test
  void whatARunMayHaveFromToolsOfOtherServersIsMarked() {
    RunClass offering = FakeRunClasses.runClass("python-tools", Purpose.Run, "runner:1", 30, 60);
    offering.setSpec(
        offering.getSpec().withTools(new ClassTools(List.of("github"), null, null, null)));
    classes.with(offering);
    AnalyticsRunStatus ended = Fixtures.succeeded("42\n");

    assertThat(marked(Language.PYTHON, "python", ended)).as("no tools").isFalse();
    assertThat(marked(Language.PYTHON, "python-tools", ended)).as("not known").isTrue();
    assertThat(marked(Language.PYTHON, "gone", ended)).as("class not known").isTrue();
    assertThat(marked(Language.PYTHON, "python-tools", ended.withToolCalls(ToolCallCounts.NONE)))
        .as("no call")
        .isFalse();
    assertThat(marked(Language.PYTHON, "python", ended.withToolCalls(new ToolCallCounts(0, 0, 1))))
        .as("refused, in a class that has no tools any more")
        .isTrue();
    assertThat(marked(Language.TYPESCRIPT, "javascript", ended)).as("not known").isTrue();
    assertThat(marked(Language.TYPESCRIPT, "javascript", RUNNING)).as("under way").isTrue();
    assertThat(marked(Language.JAVASCRIPT, "javascript", ended.withToolCalls(ToolCallCounts.NONE)))
        .as("no call")
        .isFalse();
    assertThat(marked(Language.SQL, "sql", ended)).as("SQL").isFalse();
  }

  /** Files carry the content of tool servers from run to run. */
  @Test
  void whatARunReadOfAMarkedRunIsMarkedToo() {
    AnalyticsRun calling =
        Fixtures.run("run-1", Fixtures.succeeded("").withToolCalls(new ToolCallCounts(1, 0, 0)));
    runs.with(withUid(calling));
    runs.with(reading("run-2", "run-1"));
    runs.with(reading("run-3", "run-2"));
    runs.with(withUid(Fixtures.run("run-4", Fixtures.succeeded(""))));
    runs.with(reading("run-5", "run-4"));
    runs.with(reading("run-6", "run-that-is-gone"));

    assertThat(get("run-3").isUntrusted()).as("by two files").isTrue();
    assertThat(get("run-5").isUntrusted()).as("no tools").isFalse();
    assertThat(get("run-6").isUntrusted()).as("not known").isTrue();
    for (int i = 10; i < 40; i++) {
      runs.with(reading("run-" + i, i == 10 ? "run-4" : "run-" + (i - 1)));
    }
    assertThat(get("run-25").isUntrusted()).as("16 earlier runs without tools").isFalse();
    assertThat(get("run-39").isUntrusted()).as("too many to read").isTrue();
  }

  private static AnalyticsRun withUid(AnalyticsRun run) {
    run.getMetadata().setUid("uid-of-" + run.getMetadata().getName());
    return run;
  }

  private static AnalyticsRun reading(String name, String earlier) {
    PinnedInput input =
        new PinnedInput(earlier, "uid-of-" + earlier, 1, "a.csv", 1, "00", "a.csv", null);
    return withUid(Fixtures.run(name, Fixtures.succeeded("").withInputs(List.of(input))));
  }

  @Test
  void aRunThatReadADatasetOfSuchContentIsMarked() {
    PinnedSnapshot snapshot = new PinnedSnapshot("sales", "s", "snapshots/s", null, true);

    assertThat(marked(Language.SQL, "sql", Fixtures.succeeded("").withSnapshots(List.of(snapshot))))
        .isTrue();
  }

  @Test
  void anotherRunOfTheNameOfAnEarlierOneTellsNothing() {
    AnalyticsRun other = Fixtures.run("run-1", Fixtures.succeeded(""));
    other.getMetadata().setUid("uid-of-another");
    runs.with(other);
    runs.with(reading("run-2", "run-1"));

    assertThat(get("run-2").isUntrusted()).isTrue();
  }

  private boolean marked(Language language, String className, AnalyticsRunStatus status) {
    AnalyticsRun run = Fixtures.run("run-m", status);
    run.setSpec(run.getSpec().withLanguage(language).withClassName(className));
    runs.with(run);
    return get("run-m").isUntrusted();
  }

  @Test
  void ofARunThatIsUnderWayWhatItHasPrintedIsShown() {
    runs.with(Fixtures.run("run-a", RUNNING));

    assertThat(get("run-a").text())
        .startsWith("Run run-a: Running (Started), dataset sales-data")
        .endsWith("\nThe code is running\n\n[it has printed nothing yet]");
    outputs.append("uid-1", "one\ntwo");
    assertThat(get("run-a").text()).endsWith("\n\nOutput so far:\none\ntwo");
    outputs.reachable(false);
    assertThat(get("run-a").text()).contains("cannot be read now: the output store could not");
  }

  @Test
  void aRunThatIsWaitedForIsShownOnceItHasEnded() throws InterruptedException {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    runs.with(run);
    Thread ending =
        Thread.startVirtualThread(
            () -> {
              Await.await(() -> runs.followed().contains("run-a"));
              runs.status(run, Fixtures.succeeded("42\n"));
            });

    assertThat(call(getRun(), Map.of("name", "run-a", "wait_seconds", 600)).text())
        .startsWith("Run run-a: Succeeded")
        .endsWith("42\n");
    ending.join();
    assertThat(runs.followed()).isEmpty();
  }

  @Test
  void aRunThatDoesNotEndWhileItIsWaitedForIsShownAsItIsAndGoesOn() {
    runs.with(Fixtures.run("run-a", RUNNING));

    assertThat(call(getRun(), Map.of("name", "run-a", "wait_seconds", 1)).text())
        .startsWith("Run run-a: Running");
    assertThat(runs.cancelled).isEmpty();
  }

  @Test
  void aRunThatIsDeletedWhileItIsWaitedForIsSaidToBeMissing() {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    runs.with(run);
    Thread.startVirtualThread(
        () -> {
          Await.await(() -> runs.followed().contains("run-a"));
          runs.delete(run);
        });

    assertThat(call(getRun(), Map.of("name", "run-a", "wait_seconds", 600)).text())
        .startsWith("EXECUTION ERROR: KeyError: There is no run 'run-a'.");
  }

  @Test
  void longOutputIsBoundedAsThatOfACall() {
    String all = "x".repeat(200_000);
    outputs.append("uid-1", all);
    runs.with(
        Fixtures.run(
            "run-a",
            Fixtures.status(
                RunPhase.Succeeded,
                RunReason.Completed,
                null,
                PayloadStarted.Yes,
                RunResultBuilder.builder()
                    .output("x")
                    .outputTail("END")
                    .outputBytes(200_000)
                    .storedBytes(200_000)
                    .build())));
    runs.with(Fixtures.run("run-b", RUNNING));

    assertThat(get("run-a").text()).contains("[output truncated: first ").endsWith("END");
    assertThat(get("run-b").text())
        .endsWith(
            "[there is more than the first 32768 bytes; get_run(name=\"run-b\", offset=32768)"
                + " shows it]\n");
    assertThat(Stream.of(get("run-a"), get("run-b")))
        .allSatisfy(reply -> assertThat(reply.text().getBytes(UTF_8)).hasSizeLessThan(REPLY + 300));
  }

  @Test
  void outputIsReadPartByPart() {
    String all = "a line of words\n".repeat(1000);
    outputs.append("uid-1", all);
    runs.with(Fixtures.run("run-a", Fixtures.succeeded(all)));

    Reply first = call(getRun(), Map.of("name", "run-a", "offset", 0, "max_tokens", 1000));

    assertThat(first.text())
        .startsWith("a line of words\n")
        .endsWith("of 16000; get_run(name=\"run-a\", offset=3200) continues]\n");
    assertThat(((RunReport) first.structured()).nextOffset()).isEqualTo(3200);
    Reply last = call(getRun(), Map.of("name", "run-a", "offset", 15_990));
    assertThat(last.text()).isEqualTo(" of words\n[bytes 15990 to 16000 of 16000]\n");
    assertThat(((RunReport) last.structured()).nextOffset()).isNull();
    assertThat(call(getRun(), Map.of("name", "run-a", "offset", 16_000)).text())
        .isEqualTo("[nothing is stored from byte 16000 on: the output has 16000 stored bytes]\n");
    assertThat(call(getRun(), Map.of("name", "run-a", "offset", -1)).text())
        .startsWith("EXECUTION ERROR: ValueError: 'offset' must be between 0 and ");
  }

  @Test
  void rowsOfTheTableThatARunReturnedAreReadPartByPart() {
    runs.with(Fixtures.run("run-a", Fixtures.succeeded("")));
    runs.with(Fixtures.run("run-b", RUNNING));
    List<List<@Nullable Object>> stored =
        IntStream.range(0, 50)
            .<List<@Nullable Object>>mapToObj(i -> Arrays.asList("UA", i, null))
            .toList();
    tables.put(
        "run-a",
        new StoredTables.Part(
            List.of("carrier", "n", "note"), stored, stored.size(), 900, List.of()));

    Reply part = rows("run-a", Map.of("offset", 10, "limit", 2));

    assertThat(part.text())
        .isEqualTo(
            "Rows 10 to 12 of 900, of which 50 are stored; get_run(name=\"run-a\","
                + " rows={\"offset\": 12, \"limit\": 2}) continues\n"
                + "carrier,n,note\nUA,10,\nUA,11,\n");
    RowsPage page = Objects.requireNonNull(((RunReport) part.structured()).rows());
    assertThat(page.rows()).containsExactly(stored.get(10), stored.get(11));
    assertThat(page.nextOffset()).isEqualTo(12);
    assertThat(rows("run-a", Map.of("offset", 49)).text())
        .isEqualTo("Rows 49 to 50 of 900, of which 50 are stored\ncarrier,n,note\nUA,49,\n");
    assertThat(rows("run-a", Map.of("offset", 70)).text())
        .isEqualTo("Rows 70 to 70 of 900, of which 50 are stored\ncarrier,n,note\n");
    assertThat(rows("run-b", Map.of()).text())
        .endsWith("\n\n[no stored rows: the run has not ended]");
    assertThat(rows("run-a", Map.of("limit", 0)).text())
        .isEqualTo("EXECUTION ERROR: ValueError: 'limit' must be between 1 and 1000, not 0");
    assertThat(rows("run-a", Map.of("from", 0)).text())
        .isEqualTo(
            "EXECUTION ERROR: TypeError: unknown argument 'from'; the arguments are offset, limit");
    assertThat(call(getRun(), Map.of("name", "run-a", "rows", Map.of(), "offset", 0)).text())
        .isEqualTo("EXECUTION ERROR: ValueError: 'offset' and 'rows' exclude each other");
  }

  @Test
  void rowsHaveTheWarningsOfTheirResultAndWhatThereWasNoRoomFor() {
    runs.with(Fixtures.run("run-a", Fixtures.succeeded("")));
    List<List<@Nullable Object>> stored = List.of(List.of("word ".repeat(2_000)));
    tables.put("run-a", new StoredTables.Part(List.of("note"), stored, 1, 1, List.of("of old")));

    Reply part = call(getRun(), Map.of("name", "run-a", "rows", Map.of(), "max_tokens", 500));

    assertThat(part.text())
        .contains("\nwarning: of old\nwarning: long values are shortened in: note\nnote\n");
    assertThat(Objects.requireNonNull(((RunReport) part.structured()).rows()).warnings())
        .containsExactly("of old", "long values are shortened in: note");
  }

  /** A script that outlived its call has no other way to its value. */
  @Test
  void aLongValueOfAScriptIsReadFromTheStore() throws NoSuchAlgorithmException {
    String value = "[" + "123456,".repeat(2_000) + "0]";
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8));
    RunResult result =
        Fixtures.result("printed\n", null)
            .with()
            .valueBytes((long) value.length())
            .valueDigest(HexFormat.of().formatHex(digest))
            .build();
    AnalyticsRun run = Fixtures.run("run-a", Fixtures.succeeded("").withResult(result));
    run.setSpec(run.getSpec().with().language(Language.JAVASCRIPT).build());
    runs.with(run);
    outputs.value(run.getMetadata().getUid(), value);

    assertThat(call(getRun(), Map.of("name", "run-a", "max_tokens", 20_000)).text())
        .endsWith("\n\nprinted\n" + value);
    assertThat(call(getRun(), Map.of("name", "run-a", "max_tokens", 200)).text())
        .contains("\n\nprinted\n[123456,123456,")
        .endsWith("\n[the value was cut: it has 14003 bytes; raise max_tokens]");
  }

  @Test
  void whoWaitsForTheRowsOfAQueryThatFailsIsShownItsError() {
    runs.with(
        Fixtures.run(
            "run-a",
            Fixtures.status(
                RunPhase.Failed,
                RunReason.CodeError,
                "KeyError: 'x'",
                PayloadStarted.Yes,
                Fixtures.result(
                    "before\n",
                    RunErrorBuilder.builder()
                        .type("KeyError")
                        .message("'x'")
                        .line(1)
                        .traceback("Trace")
                        .build()))));

    assertThat(rows("run-a", Map.of("offset", 0)).text())
        .startsWith("Run run-a: Failed (CodeError)")
        .endsWith("\n\nbefore\nERROR: KeyError: 'x'\nTraceback:\nTrace");
  }

  private Reply rows(String run, Map<String, Object> rows) {
    return call(getRun(), Map.of("name", run, "rows", rows));
  }

  @Test
  void ofARunThatIsUnderWayWhatIsNewIsReadFromAnOffset() {
    runs.with(Fixtures.run("run-a", RUNNING));
    outputs.append("uid-1", "one\ntwo\n");

    assertThat(call(getRun(), Map.of("name", "run-a", "offset", 4)).text())
        .endsWith("two\n[bytes 4 to 8; get_run(name=\"run-a\", offset=8) continues]\n");
    assertThat(call(getRun(), Map.of("name", "run-a", "offset", 8)).text())
        .endsWith("\n\n[bytes 8 to 8; get_run(name=\"run-a\", offset=8) continues]\n");
  }

  @Test
  void aReplyHasNoMoreTokensThanItsCallerWants() {
    String all = "1 2 3 4\n".repeat(4000);
    outputs.append("uid-1", all);
    runs.with(Fixtures.run("run-a", Fixtures.succeeded(all)));

    assertThat(TokenEstimate.of(get("run-a").text())).isBetween(19_000, 20_100);
    assertThat(TokenEstimate.of(call(getRun(), Map.of("name", "run-a", "max_tokens", 500)).text()))
        .isBetween(400, 600);
    assertThat(call(getRun(), Map.of("name", "run-a", "max_tokens", 100_000)).text())
        .contains("\n\n" + all.substring(0, 32_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "No Name", "../x", "run-elsewhere"})
  void aRunThatIsNotThereIsSaidToBeMissing(String name) {
    AnalyticsRun elsewhere = Fixtures.run("run-elsewhere", null);
    elsewhere.getMetadata().setNamespace("other");
    runs.with(elsewhere);

    assertThat(get(name).isError()).isTrue();
    assertThat(get(name).text())
        .isEqualTo(
            "EXECUTION ERROR: KeyError: There is no run '"
                + name
                + "'. list_runs() lists the existing ones.");
    assertThat(call(new CancelRun(runs), Map.of("name", name)).isError()).isTrue();
    assertThat(runs.cancelled).isEmpty();
  }

  @Test
  void runsAreListedNewestFirst() {
    assertThat(list(Map.of()).text()).isEqualTo("No runs match.");
    for (int i = 0; i < 3; i++) {
      AnalyticsRun run = Fixtures.run("run-" + i, i == 1 ? RUNNING : null);
      run.getMetadata().setCreationTimestamp("2026-01-02T03:04:0" + i + "Z");
      runs.with(run);
    }

    assertThat(list(Map.of("limit", 2)).text())
        .isEqualTo(
            """
            NAME | PHASE | REASON | DATASET | CREATED
            run-2 | Pending | - | sales-data | 2026-01-02T03:04:02Z
            run-1 | Running | Started | sales-data | 2026-01-02T03:04:01Z
            [and older ones]\
            """);
    assertThat(list(Map.of("phase", "Running")).text().lines()).hasSize(2);
    assertThat(list(Map.of("phase", "Failed")).text()).isEqualTo("No runs match.");
  }

  @Test
  void aListOfRunsHasNoMoreOfThemAsObjectsThanItsTokensAllow() {
    for (int i = 0; i < 20; i++) {
      runs.with(Fixtures.run("run-" + i, RUNNING));
    }

    Reply reply = call(new ListRuns(runs, 500), Map.of());

    RunList listed = (RunList) Objects.requireNonNull(reply.structured());
    assertThat(listed.runs()).hasSizeBetween(2, 19);
    assertThat(listed.hasMore()).isTrue();
    assertThat(TokenEstimate.of(JsonMapper.shared().writeValueAsString(listed.runs())))
        .isLessThan(550);
    assertThat(reply.text().lines()).hasSize(21);
  }

  @Test
  void aRunIsStoppedUnlessItHasEnded() {
    runs.with(Fixtures.run("run-a", RUNNING)).with(Fixtures.run("run-b", Fixtures.succeeded("")));

    assertThat(call(new CancelRun(runs), Map.of("name", "run-a")))
        .isEqualTo(Reply.success("Run run-a is being stopped. get_run shows its end."));
    assertThat(call(new CancelRun(runs), Map.of("name", "run-b")))
        .isEqualTo(Reply.success("Run run-b had ended before: Succeeded. Nothing was done."));
    assertThat(runs.cancelled).containsExactly("run-a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "limit|0|ValueError: 'limit' must be between 1 and 500, not 0",
        "limit|501|ValueError: 'limit' must be between 1 and 500, not 501",
        "phases|1|TypeError: unknown argument 'phases'; the arguments are limit, phase",
      })
  void aBadArgumentIsNamed(String name, int value, String message) {
    assertThat(list(Map.of(name, value)).text()).isEqualTo("EXECUTION ERROR: " + message);
  }

  @Test
  void aMissingOrWrongTextIsNamed() {
    assertThat(list(Map.of("phase", "Done")).text())
        .startsWith("EXECUTION ERROR: ValueError: 'phase' must be one of Pending, Starting,");
    assertThat(call(getRun(), Map.of()).text())
        .isEqualTo("EXECUTION ERROR: TypeError: missing argument 'name'");
  }

  private Tool getRun() {
    return new GetRun(
        runs,
        classes,
        new RunWait(runs, Duration.ofMillis(50), Duration.ofMillis(100)),
        new RunReplies(
            new OutputReader(outputs, new ReplyBound(2 * REPLY, 20_000)),
            (run, offset, limit, memory) ->
                Optional.ofNullable(tables.get(run.getMetadata().getName()))
                    .map(
                        all ->
                            StoredTables.Part.of(
                                all.columns(),
                                all.rows(),
                                all.totalRows(),
                                all.warnings(),
                                offset,
                                limit)),
            new RunValues(outputs),
            new ReplyArtifacts(new ArtifactReader(outputs))));
  }

  private Reply get(String name) {
    return call(getRun(), Map.of("name", name));
  }

  private Reply list(Map<String, Object> arguments) {
    return call(new ListRuns(runs, 20_000), arguments);
  }

  private static Reply call(Tool tool, Map<String, Object> arguments) {
    return new GuardedTool(tool)
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation()),
            arguments);
  }
}
