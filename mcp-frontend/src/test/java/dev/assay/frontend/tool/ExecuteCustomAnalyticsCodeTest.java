package dev.assay.frontend.tool;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.execution.ExecutionReplies;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.ContinuingRun;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunWait;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExecuteCustomAnalyticsCodeTest {
  private static final Duration TICK = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofSeconds(30);

  private final List<String> progress = new ArrayList<>();
  private Duration progressEvery = TICK;
  private int defaultWaitSeconds = 50;
  private final FakeRuns runs = new FakeRuns();
  private final FakeDatasets datasets = new FakeDatasets();
  private final Cancellation cancellation = new Cancellation();
  private OutputStore outputs = OutputStore.NONE;
  private final FakeRunClasses classes = FakeRunClasses.usual();

  static Stream<Arguments> badArguments() {
    return Stream.of(
        Arguments.of(Map.of(), "TypeError: missing argument 'dataset_name'"),
        Arguments.of(Map.of("dataset_name", "d"), "TypeError: missing argument 'python_code'"),
        Arguments.of(
            Map.of("dataset_name", 7, "python_code", ""),
            "TypeError: 'dataset_name' must be a string, not a number"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", List.of()),
            "TypeError: 'python_code' must be a string, not an array"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "", "timeout_seconds", "30"),
            "TypeError: 'timeout_seconds' must be a whole number, not a string"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "", "timeout_seconds", 0),
            "ValueError: 'timeout_seconds' must be between 1 and 600, not 0"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "", "timeout_seconds", 601),
            "ValueError: 'timeout_seconds' must be between 1 and 600, not 601"),
        Arguments.of(
            Map.of(
                "dataset_name", "d", "python_code", "", "timeout_seconds", new BigDecimal("1.5")),
            "ValueError: 'timeout_seconds' must be a whole number between 1 and 600"),
        Arguments.of(
            Map.of(
                "dataset_name",
                "d",
                "python_code",
                "",
                "timeout_seconds",
                new BigDecimal("1E+999999999")),
            "ValueError: 'timeout_seconds' must be a whole number between 1 and 600"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 601),
            "ValueError: 'wait_seconds' must be between 0 and 600, not 601"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "", "code", ""),
            "TypeError: unknown argument 'code'; the arguments are dataset_name, python_code,"
                + " datasets, mode, files, inputs, keep, timeout_seconds, run_class, wait_seconds,"
                + " max_tokens"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "\uD800"),
            "ValueError: 'python_code' is not valid Unicode: it has half of a surrogate pair"),
        Arguments.of(
            Map.of("dataset_name", "d", "python_code", "é".repeat(131_073)),
            "ValueError: 'python_code' has 262146 bytes of UTF-8; at most 262144 are allowed"),
        Arguments.of(
            Map.of(
                "dataset_name",
                "d",
                "python_code",
                Fixtures.oversized(OversizedValue.Kind.TEXT, 10_000_000_000L)),
            "ValueError: 'python_code' has 10000000000 bytes of UTF-8; at most 262144 are allowed"),
        Arguments.of(
            Map.of("dataset_name", "d".repeat(74), "python_code", ""),
            "ValueError: 'dataset_name' has 74 bytes of UTF-8; at most 73 are allowed"),
        Arguments.of(
            Map.of(
                "dataset_name",
                "d",
                "python_code",
                "",
                "timeout_seconds",
                Fixtures.oversized(OversizedValue.Kind.ARRAY, 9_000_000)),
            "TypeError: 'timeout_seconds' must be a whole number, not an array of 9000000 bytes"));
  }

  @Test
  void aCallThatDoesNotWaitNamesItsRunWhichGoesOn() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));

    Reply reply = call(Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 0));

    String name = runs.created.getFirst().getMetadata().getName();
    assertThat(reply.isError()).isFalse();
    assertThat(reply.text())
        .isEqualTo(
            "The run "
                + name
                + " continues: Pending after 0 s. get_run(name=\""
                + name
                + "\", wait_seconds=30) waits for its end and shows what it has printed; cancel_run"
                + " stops it.");
    assertThat(reply.structured())
        .isEqualTo(new ContinuingRun("in_progress", name, RunPhase.Pending, reply.text()));
    assertThat(runs.detached).containsExactly(name);
    assertThat(runs.cancelled).isEmpty();
    assertThat(runs.followed()).isEmpty();
  }

  @Test
  void aCancellationBeforeTheReplyIsSentCancelsARunThatWouldGoOn() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    call(Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 0));

    cancellation.abandon();
    assertThat(runs.cancelled).isEmpty();
    cancellation.cancel(Cancellation.Cause.REQUESTED);

    assertThat(runs.cancelled).containsExactly(runs.created.getFirst().getMetadata().getName());
  }

  @Test
  void aCallThatWaitsForATimeNamesItsRunWhenTheTimeIsOver() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator(
        (fake, run) ->
            fake.status(
                run, Fixtures.status(RunPhase.Running, RunReason.Started, "x", null, null)));

    Reply reply = call(Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 1));

    assertThat(reply.isError()).isFalse();
    assertThat(reply.text()).contains(" continues: Running after 1 s. ");
    assertThat(runs.cancelled).isEmpty();
  }

  /** Many clients give up after 60 s, and would never hear of the run. */
  @Test
  void aCallThatDoesNotSayHowLongItWaitsIsAnsweredBeforeItsClientGivesUp() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    defaultWaitSeconds = 1;

    Reply reply = call(Map.of("dataset_name", "d", "python_code", ""));

    String name = runs.created.getFirst().getMetadata().getName();
    assertThat(reply.isError()).isFalse();
    assertThat(reply.text())
        .startsWith("The run " + name + " continues: Pending after 1 s. get_run(name=");
    assertThat(runs.cancelled).isEmpty();
  }

  /** A client that reads both at once complains of progress for a call that has its response. */
  @Test
  void noProgressComesWithTheReplyOfACallWhoseTimeIsOver() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    progressEvery = Duration.ofMinutes(1);
    runs.operator(
        (fake, run) ->
            fake.status(
                run, Fixtures.status(RunPhase.Running, RunReason.Started, "x", null, null)));

    call(Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 1));

    assertThat(progress).hasSize(2);
  }

  /** A name that derives from an idempotency key is used again once its run is deleted. */
  @Test
  void whatBecomesOfAnEarlierRunOfTheSameNameIsNoReply() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator(
        (fake, run) -> {
          fake.delete(Fixtures.run(run.getMetadata().getName(), Fixtures.succeeded("earlier")));
          fake.status(run, Fixtures.succeeded("ok"));
        });

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text()).isEqualTo("ok");
  }

  @Test
  void aRunThatEndsWhileItsCallWaitsIsItsReply() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok")));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 600)).text())
        .isEqualTo("ok");
  }

  @Test
  void aCallThatDoesNotWaitLeavesItToItsRunToWaitForADataset() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Loading));

    Reply reply = call(Map.of("dataset_name", "d", "python_code", "", "wait_seconds", 0));

    assertThat(reply.text()).contains(" continues: Pending after 0 s. ");
    assertThat(runs.created).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("badArguments")
  void aBadArgumentIsNamedAndNothingIsRun(Map<String, Object> arguments, String message) {
    Reply reply = call(arguments);

    assertThat(reply.text()).isEqualTo("EXECUTION ERROR: " + message);
    assertThat(reply.isError()).isTrue();
    assertThat(runs.created).isEmpty();
  }

  @Test
  void codeOfExactlyTheLimitIsRun() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok")));

    assertThat(
            call(Map.of("dataset_name", "d", "python_code", "#".repeat(Bounds.MAX_CODE_BYTES)))
                .text())
        .isEqualTo("ok");
  }

  @Test
  void furtherDatasetsAndAClassGoIntoTheRun() {
    datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    datasets.with(Fixtures.dataset("regions", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok")));

    Reply reply =
        call(
            Map.of(
                "dataset_name", "sales_data",
                "datasets", List.of("dataset://Regions", "sales-data"),
                "python_code", "",
                "run_class", "python-large"));

    assertThat(reply.text()).isEqualTo("ok");
    assertThat(runs.created.getFirst().getSpec().datasetNames())
        .containsExactly("sales-data", "regions");
    assertThat(runs.created.getFirst().getSpec().className()).isEqualTo("python-large");
  }

  @Test
  void aFurtherDatasetThatIsNotLoadedIsNamedAndNothingIsRun() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));

    assertThat(
            call(Map.of("dataset_name", "d", "datasets", List.of("e"), "python_code", "")).text())
        .isEqualTo(
            "EXECUTION ERROR: KeyError: Dataset 'e' not loaded. Use load_dataset() first. There"
                + " are: d. Did you mean 'd'?");
    assertThat(runs.created).isEmpty();
  }

  @Test
  void aDatasetThatIsBeingReplacedIsUsedAsItWas() {
    Dataset replaced = Fixtures.dataset("d", DatasetPhase.Ready);
    replaced.getMetadata().setGeneration(2L);
    datasets.with(replaced);
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok")));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text()).isEqualTo("ok");
  }

  @Test
  void codeOverDataThatIsNotWhatItShouldBeSaysSoAfterItsOutput() {
    Dataset failed = Fixtures.dataset("d", DatasetPhase.Failed);
    failed.setStatus(failed.getStatus().withSnapshot(Fixtures.snapshot()));
    Dataset old = Fixtures.dataset("e", DatasetPhase.Ready);
    old.setStatus(old.getStatus().withSnapshot(Fixtures.snapshot().withReading(1)));
    datasets.with(failed).with(old);
    String remarks =
        "Dataset 'd' could not be replaced. Its earlier data (1 rows x 2 columns) stays in use.\n"
            + "Dataset 'e' was read by older rules: load it again with replace to have its values"
            + " as in the source.";
    Map<String, Object> arguments =
        Map.of("dataset_name", "d", "datasets", List.of("e"), "python_code", "");

    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok\n")));
    assertThat(call(arguments).text()).isEqualTo("ok\n" + remarks);
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));
    assertThat(call(arguments).text()).isEqualTo(remarks);
  }

  @Test
  void aReplacementThatFailedIsToldWhileTheCacheStillShowsItLoading() {
    Dataset failed = Fixtures.dataset("d", DatasetPhase.Failed);
    failed.setStatus(failed.getStatus().withSnapshot(Fixtures.snapshot()));
    Dataset loading = Fixtures.dataset("d", DatasetPhase.Loading);
    loading.setStatus(loading.getStatus().withSnapshot(Fixtures.snapshot()));
    datasets.with(failed).cacheStillShows(loading);
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .isEqualTo(
            "Dataset 'd' could not be replaced. Its earlier data (1 rows x 2 columns) stays in"
                + " use.");
  }

  @Test
  void emptyCodeIsRunAndPrintsNothing() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));

    Reply reply = call(Map.of("dataset_name", "d", "python_code", ""));

    assertThat(reply.text()).isEmpty();
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void aTimeoutOfTheCallIsTheRunsAndNullIsTheDefault() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));
    Map<String, Object> withNull = new HashMap<>();
    withNull.put("dataset_name", "d");
    withNull.put("python_code", "");
    withNull.put("timeout_seconds", null);

    var unused =
        List.of(
            call(
                Map.of(
                    "dataset_name",
                    "d",
                    "python_code",
                    "",
                    "timeout_seconds",
                    new BigDecimal("600.0"))),
            call(withNull));

    assertThat(runs.created.stream().map(run -> run.getSpec().timeoutSeconds()).toList())
        .containsExactly(600, 30);
  }

  @ParameterizedTest
  @MethodSource("unknownNames")
  void anUnknownDatasetIsSaidAndNothingIsRun(String name, String shown) {
    assertThat(call(Map.of("dataset_name", name, "python_code", "")).text())
        .isEqualTo(
            "EXECUTION ERROR: KeyError: Dataset '"
                + shown
                + "' not loaded. Use load_dataset() first.");
    assertThat(runs.created).isEmpty();
  }

  static Stream<Arguments> unknownNames() {
    return Stream.of(
        Arguments.of("nope", "nope"),
        Arguments.of("dataset://nope", "nope"),
        Arguments.of("../etc", "../etc"),
        Arguments.of("a\nb", "a b"),
        Arguments.of("", ""));
  }

  @Test
  void aFailedDatasetIsSaidInItsReadersWords() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Failed));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .isEqualTo(
            "EXECUTION ERROR: DatasetFailed: Dataset 'd' could not be loaded: ParserError: line 3\n"
                + "Source: the data of the call. Correct what the error names, in the source or in"
                + " the arguments, and call again: load_dataset(dataset_name=\"d\","
                + " text=\"...\", replace=true)\n"
                + "The code was not started.");
  }

  @Test
  void aDatasetThatTheCacheStillShowsAsItWasIsUsed() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    datasets.cacheStillShows(Fixtures.dataset("d", DatasetPhase.Failed));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok")));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text()).isEqualTo("ok");
  }

  @Test
  void aDatasetThatIsLoadingIsWaitedFor() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Loading));
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("ok")));
    Thread.ofVirtual()
        .start(
            () -> {
              await(() -> datasets.isFollowed("d"));
              datasets.settle("d", DatasetPhase.Ready);
            });

    assertThat(call(LONG, Map.of("dataset_name", "d", "python_code", "")).text()).isEqualTo("ok");
  }

  @Test
  void aDatasetThatStaysLoadingIsSaid() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Loading));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .startsWith("EXECUTION ERROR: DatasetNotReady: Dataset 'd' is still loading")
        .contains("retrying is safe");
    assertThat(runs.created).isEmpty();
  }

  @Test
  void wholeOutputIsReadFromTheStore() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, longOutput()));
    outputs =
        (namespace, uid, offset, max) -> {
          assertThat(namespace).isEqualTo("runs");
          assertThat(uid).startsWith("uid-run-");
          return new OutputStore.Bytes(new byte[20_000]);
        };

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .isEqualTo("\uFFFD".repeat(20_000));
  }

  @Test
  void aMissingStoreIsSaidBetweenBeginningAndEnd() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.status(run, longOutput()));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .startsWith("head\n[output incomplete: first 5 and last 4 of 20000 bytes;")
        .endsWith("]\ntail");
  }

  @Test
  void aCancelledCallStopsItsRun() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> cancellation.cancel(Cancellation.Cause.REQUESTED));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .startsWith("EXECUTION ERROR: Cancelled: ");
    assertThat(runs.cancelled).hasSize(1);
    assertThat(runs.followed()).isEmpty();
  }

  @Test
  void aRunThatOutlivesAllItsLimitsIsStoppedAndSaid() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    classes.with(FakeRunClasses.runClass("python", RunClassSpec.Purpose.Run, "runner:1", 0, -91));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .startsWith("EXECUTION ERROR: NoAnswer: ");
    assertThat(runs.cancelled).hasSize(1);
  }

  @Test
  void aRunInAPhaseOfANewerVersionContinuesWhateverItsLimitsAre() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    classes.with(FakeRunClasses.runClass("python", RunClassSpec.Purpose.Run, "runner:1", 0, -89));
    runs.operator(
        (fake, run) ->
            fake.status(
                run, AnalyticsRunStatus.EMPTY.with(status -> status.phase(RunPhase.Unknown))));

    Reply reply = call(Map.of("dataset_name", "d", "python_code", ""));

    assertThat(reply.text()).startsWith("The run ").contains(" continues: Unknown ");
    assertThat(reply.isError()).isFalse();
    assertThat(runs.cancelled).isEmpty();
  }

  @Test
  void aRunThatVanishedWithoutAnEventIsNoticed() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.operator((fake, run) -> fake.vanish(run));

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .startsWith("EXECUTION ERROR: Cancelled: ");
  }

  @Test
  void aFailureOfOursSaysNothingOfOurInsides() {
    datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    runs.refusal = new IllegalStateException("secret /etc/path dev.assay.Foo");

    assertThat(call(Map.of("dataset_name", "d", "python_code", "")).text())
        .startsWith("EXECUTION ERROR: InternalError: internal server error (request r1)")
        .doesNotContain("secret");
  }

  private static AnalyticsRunStatus longOutput() {
    return Fixtures.status(
        RunPhase.Succeeded,
        RunReason.Completed,
        null,
        PayloadStarted.Yes,
        RunResultBuilder.builder()
            .output("head\n")
            .outputTail("tail")
            .outputBytes(20_000)
            .storedBytes(20_000)
            .build());
  }

  private Reply call(Map<String, Object> arguments) {
    return call(Duration.ofMillis(400), arguments);
  }

  private Reply call(Duration datasetWait, Map<String, Object> arguments) {
    Tool tool =
        new ExecuteCustomAnalyticsCode(
            new ExecuteCustomAnalyticsCode.Settings(
                "python", "code", 30, 120, 600, defaultWaitSeconds, datasetWait),
            datasets,
            new DatasetWait(TICK),
            new RunCall(
                runs,
                classes,
                new RunWait(runs, progressEvery, Duration.ofMillis(100)),
                new OutputReader(outputs, new ReplyBound(1_048_576, 20_000)),
                new ReplyArtifacts(new ArtifactReader(outputs)),
                new RunNames(Clock.systemUTC())),
            new ExecutionReplies(new RunValues(outputs), new ArtifactReader(outputs)));
    return new GuardedTool(tool)
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", progress::add, cancellation),
            arguments);
  }
}
