package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.Await;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.FakeUploads;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetDocument;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.mcp.Json;
import dev.assay.frontend.run.ToolUse;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.type.TypeReference;

class LoadDatasetTest {
  private Duration patience = Duration.ofSeconds(50);
  private final FakeDatasets datasets = new FakeDatasets();
  private final FakeUploads uploads = new FakeUploads(datasets);
  private final FakeRuns runs = new FakeRuns();
  private final FakeOutputs outputs = new FakeOutputs();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|TypeError: missing argument 'dataset_name'",
        "{'dataset_name': '-x', 'text': ''}|ValueError: 'dataset_name' must have 1 to 63",
        "{'dataset_name': 'a'}|ValueError: give exactly one of 'records', 'text', 'volume' and 'from_run'; none",
        "{'dataset_name': 'a', 'text': '', 'records': []}|ValueError: give exactly one of",
        "{'dataset_name': 'a', 'text': '', 'path': 'x'}|ValueError: 'path' belongs to 'volume'",
        "{'dataset_name': 'a', 'text': '', 'format': 'parquet'}|ValueError: 'text' is csv, tsv, json or ndjson",
        "{'dataset_name': 'a', 'text': '', 'format': 'xml'}|ValueError: 'format' must be one of csv,",
        "{'dataset_name': 'a', 'records': [], 'format': 'csv'}|ValueError: 'format' belongs to",
        "{'dataset_name': 'a', 'records': {}}|TypeError: 'records' must be an array, not an object",
        "{'dataset_name': 'a', 'records': [{}, 7]}|TypeError: 'records[1]' must be an object, not a n",
        "{'dataset_name': 'a', 'records': [null]}|TypeError: 'records[0]' must be an object, not null",
        "{'dataset_name': 'a', 'volume': 'v'}|TypeError: missing argument 'path'",
        "{'dataset_name': 'a', 'volume': 'V!', 'path': 'a.csv'}|ValueError: 'volume' must be",
        "{'dataset_name': 'a', 'volume': 'v', 'path': '../a.csv'}|ValueError: 'path' must be relative",
        "{'dataset_name': 'a', 'volume': 'v', 'path': '/a.csv'}|ValueError: 'path' must be relative",
        "{'dataset_name': 'a', 'volume': 'v', 'path': 'a.txt'}|ValueError: 'path' ends in none of",
        "{'dataset_name': 'a', 'text': '', 'replace': 'yes'}|TypeError: 'replace' must be true or f",
        "{'dataset_name': 'a', 'records': [], 'frame': false}|ValueError: 'frame' belongs to",
        "{'dataset_name': 'a', 'volume': 'v', 'path': 'a.xlsx', 'frame': false}|ValueError: 'frame' can be false for csv, tsv, ndjson and parquet, not for excel",
        "{'dataset_name': 'a', 'text': '', 'frame': 'no'}|TypeError: 'frame' must be true or false",
        "{'dataset_name': 'a', 'txt': ''}|TypeError: unknown argument 'txt'; the arguments are",
      })
  void aBadArgumentIsNamed(String arguments, String message) {
    assertThat(call(arguments).text()).startsWith("EXECUTION ERROR: " + message);
    assertThat(datasets.list("runs")).isEmpty();
  }

  @Test
  void recordsKeepTheOrderOfTheirColumnsAndTheFormOfTheirNumbers() {
    call(
        "{'dataset_name': 'a', 'records': [{'z': 1.0, 'a': 10000000000000000000001, 'm': 1e3},"
            + " {'z': null, 'a': -0.10, 'm': true, 'o': {'k': ['é']}}]}");

    assertThat(source("a").format()).isEqualTo(DatasetFormat.JSON);
    assertThat(Objects.requireNonNull(source("a").inline()).text())
        .isEqualTo(
            "[{\"z\":1.0,\"a\":10000000000000000000001,\"m\":1E+3},"
                + "{\"z\":null,\"a\":-0.10,\"m\":true,\"o\":{\"k\":[\"é\"]}}]");
  }

  @ParameterizedTest
  @CsvSource({
    "123456789012345678901234567890,123456789012345678901234567890",
    "9007199254740993,9007199254740993",
    "1.10,1.10",
    "0.1000000000000000055511151231257827,0.1000000000000000055511151231257827",
    "1e400,1E+400",
    "-2.50e-400,-2.50E-400",
  })
  void numbersOfRecordsKeepTheirDigits(String number, String sent) {
    call("{'dataset_name': 'a', 'records': [{'n': " + number + ", 's': '" + number + "'}]}");

    assertThat(Objects.requireNonNull(source("a").inline()).text())
        .isEqualTo("[{\"n\":" + sent + ",\"s\":\"" + number + "\"}]");
  }

  @Test
  void recordsTakeNoOptionsButTypes() {
    call("{'dataset_name': 'a', 'records': [{'n': 1}], 'options': {'types': 'pandas'}}");

    assertThat(Objects.requireNonNull(source("a").options())).hasToString("{types=\"pandas\"}");
    assertThat(
            call("{'dataset_name': 'b', 'records': [], 'options': {'types': 'pandas', 'orient': 1}}")
                .text())
        .isEqualTo("EXECUTION ERROR: ValueError: 'options' can have only 'types' beside 'records'");
  }

  @Test
  void textIsTakenAsItIs() {
    call("{'dataset_name': 'Q1 2024', 'text': 'a;b\\r\\n1;2\\r\\n'}");

    Dataset dataset = datasets.find("runs", "q1-2024").orElseThrow();
    assertThat(dataset.getSpec().displayName()).isEqualTo("Q1 2024");
    assertThat(dataset.getSpec().className()).isEqualTo("snapshot");
    assertThat(source("q1-2024").format()).isEqualTo(DatasetFormat.CSV);
    assertThat(Objects.requireNonNull(source("q1-2024").inline()).text())
        .isEqualTo("a;b\r\n1;2\r\n");
  }

  @Test
  void aSourceBeyondMemoryIsLoadedWithoutAFrame() {
    call("{'dataset_name': 'a', 'volume': 'lake', 'path': 'sales/**/*.parquet', 'frame': false}");

    assertThat(source("a").frame()).isFalse();
    assertThat(Objects.requireNonNull(source("a").volume()).path()).isEqualTo("sales/**/*.parquet");
  }

  @ParameterizedTest
  @CsvSource({"x/y.parquet,PARQUET", "Y.CSV,CSV", "a.json,JSON"})
  void aFilesFormatIsItsEnding(String path, DatasetFormat format) {
    call("{'dataset_name': 'a', 'volume': 'lake', 'path': '" + path + "'}");

    assertThat(source("a").format()).isEqualTo(format);
    assertThat(Objects.requireNonNull(source("a").volume()).path()).isEqualTo(path);
    assertThat(source("a").inline()).isNull();
  }

  @Test
  void aFileThatARunHasLeftIsUploaded() {
    datasets.newOnesBecome(DatasetPhase.Uploading);
    byte[] csv = "n,t\n1,2\n".repeat(400_000).getBytes(UTF_8);
    outputs.artifact("uid-1", 1, csv);
    runs.with(
        Fixtures.run(
            "run-a", Fixtures.left(Fixtures.artifact("exports/a b.tsv.gz", csv, "text/csv"))));

    Reply reply = call("{'dataset_name': 'a', 'from_run': 'run-a', 'path': 'exports/a b.tsv.gz'}");

    assertThat(reply.text()).startsWith("Dataset 'a' is ready");
    assertThat(source("a").format()).isEqualTo(DatasetFormat.TSV);
    assertThat(source("a").compression()).isEqualTo(DatasetCompression.GZIP);
    assertThat(uploads.sent().getFirst().bytes()).isEqualTo(csv);
  }

  @Test
  void aFileOfARunThatCalledToolsMakesAMarkedDataset() {
    datasets.newOnesBecome(DatasetPhase.Uploading);
    byte[] csv = "n\n1\n".getBytes(UTF_8);
    outputs.artifact("uid-1", 1, csv);
    AnalyticsRunStatus left = Fixtures.left(Fixtures.artifact("a.csv", csv, "text/csv"));
    runs.with(Fixtures.run("run-a", left));
    runs.with(Fixtures.run("run-b", left.withToolCalls(new ToolCallCounts(1, 0, 0))));

    Reply plain = call("{'dataset_name': 'a', 'from_run': 'run-a', 'path': 'a.csv'}");
    Reply marked = call("{'dataset_name': 'b', 'from_run': 'run-b', 'path': 'a.csv'}");

    assertThat(plain.isUntrusted()).isFalse();
    assertThat(source("a").untrusted()).isNull();
    assertThat(marked.isUntrusted()).isTrue();
    assertThat(source("b").untrusted()).isTrue();
  }

  @Test
  void aFileThatARunHasNotLeftIsNamed() {
    runs.with(Fixtures.run("run-a", Fixtures.succeeded("")));

    assertThat(call("{'dataset_name': 'a', 'from_run': 'run-a', 'path': 'a.csv'}").text())
        .isEqualTo("EXECUTION ERROR: ValueError: 'path': the run has no artifact 'a.csv'");
    assertThat(call("{'dataset_name': 'a', 'from_run': 'run-x', 'path': 'a.csv'}").text())
        .contains("'from_run': there is no run 'run-x' in your namespace");
    assertThat(call("{'dataset_name': 'a', 'from_run': 'run-a'}").text())
        .contains("missing argument 'path'");
    assertThat(datasets.list("runs")).isEmpty();
  }

  @Test
  void textThatIsTooLongForTheObjectIsUploaded() {
    datasets.newOnesBecome(DatasetPhase.Uploading);
    String text = "n,t\n" + "1,é\n".repeat(60_000);
    String body = Json.mapper().writeValueAsString(text);

    Reply reply =
        call(Map.of("dataset_name", "a", "text", oversized(OversizedValue.Kind.TEXT, body)));

    assertThat(reply.text()).startsWith("Dataset 'a' is ready");
    assertThat(source("a").format()).isEqualTo(DatasetFormat.CSV);
    assertThat(source("a").inline()).isNull();
    assertThat(uploads.sent().getFirst().bytes()).asString(UTF_8).isEqualTo(text);
    assertThat(uploads.sent().getFirst().upload()).isEqualTo(source("a").upload());
  }

  @Test
  void recordsThatAreTooLongAreUploadedAsTheyCame() {
    datasets.newOnesBecome(DatasetPhase.Uploading);
    String body = "[" + "{\"z\": 1.0, \"a\": \"\\u00e9\"},".repeat(60_000) + "{}]";

    call(Map.of("dataset_name", "a", "records", oversized(OversizedValue.Kind.ARRAY, body)));
    call("{'dataset_name': 'b', 'records': [{'k': '" + "é".repeat(131_073) + "'}]}");

    assertThat(source("a").format()).isEqualTo(DatasetFormat.JSON);
    assertThat(uploads.sent().get(0).bytes()).asString(UTF_8).isEqualTo(body);
    assertThat(uploads.sent().get(1).bytes()).as("read, and still too long").hasSize(262_156);
    assertThat(uploads.sent().get(1).upload().bytes()).isEqualTo(262_156);
  }

  @Test
  void anUploadThatDoesNotArriveIsTold() {
    datasets.newOnesBecome(DatasetPhase.Uploading);
    uploads.become(UploadRelay.Relayed.FAILED, DatasetPhase.Failed);
    String body = "[" + "{\"z\": 1},".repeat(60_000) + "{}]";

    assertThat(
            call(Map.of("dataset_name", "a", "records", oversized(OversizedValue.Kind.ARRAY, body)))
                .text())
        .startsWith(
            "EXECUTION ERROR: DatasetFailed: Dataset 'a' could not be loaded: ParserError: line 3\n"
                + "Source: ");
  }

  @Test
  void anUploadThatIsCancelledBeforeItsPodIsThereFailsAsSoonAsItIs() {
    datasets.newOnesBecome(null);
    Cancellation cancellation = new Cancellation();
    String body = "[" + "{\"z\": 1},".repeat(60_000) + "{}]";
    cancellation.cancel(Cancellation.Cause.REQUESTED);

    assertThat(
            call(
                    Map.of(
                        "dataset_name", "a", "records", oversized(OversizedValue.Kind.ARRAY, body)),
                    cancellation)
                .text())
        .contains("The upload was cancelled before it began\nSource: an upload. Retry: ");
    datasets.settle("a", DatasetPhase.Uploading);

    Await.await(
        () ->
            DatasetState.of(datasets.find("runs", "a").orElseThrow())
                instanceof DatasetState.Failed);
    assertThat(uploads.sent()).allMatch(sent -> sent.bytes().length == 0);
  }

  private static OversizedValue oversized(OversizedValue.Kind kind, String json) {
    byte[] body = (" " + json + " ").getBytes(UTF_8);
    return new OversizedValue(kind, body.length - 2, body, 1, body.length - 2);
  }

  @Test
  void whatIsTooLongIsRefusedWithTheLimit() {
    assertThat(call("{'dataset_name': '" + "a".repeat(64) + "', 'text': ''}").text())
        .startsWith(
            "EXECUTION ERROR: ValueError: 'dataset_name' has 64 bytes of UTF-8; at most 63");
  }

  @Test
  void whatWasTooLongToBeReadIsRefusedWithItsSizeAndTheLimit() {
    assertThat(refusal("records", OversizedValue.Kind.TEXT))
        .isEqualTo("TypeError: 'records' must be an array, not a string of 9000000 bytes");
    assertThat(refusal("text", OversizedValue.Kind.OBJECT))
        .isEqualTo("TypeError: 'text' must be a string, not an object of 9000000 bytes");
  }

  private String refusal(String argument, OversizedValue.Kind kind) {
    String text =
        call(Map.of("dataset_name", "a", argument, Fixtures.oversized(kind, 9_000_000))).text();
    assertThat(text).startsWith("EXECUTION ERROR: ");
    return text.substring("EXECUTION ERROR: ".length());
  }

  @Test
  void aFailureIsToldInTheReadersWords() {
    datasets.newOnesBecome(DatasetPhase.Failed);

    Reply reply = call("{'dataset_name': 'a', 'text': 'x'}");

    assertThat(reply.isError()).isTrue();
    assertThat(reply.text())
        .startsWith(
            "EXECUTION ERROR: DatasetFailed: Dataset 'a' could not be loaded: ParserError: line 3\n"
                + "Source: the data of the call. Correct what the error names");
  }

  @Test
  void aReplacementIsWaitedForAndTheOldStateIsNotTakenForIt() {
    datasets.with(Fixtures.dataset("a", DatasetPhase.Ready)).newOnesBecome(DatasetPhase.Failed);

    assertThat(call("{'dataset_name': 'a', 'text': 'x', 'replace': true}").text())
        .startsWith("EXECUTION ERROR: DatasetFailed");
  }

  @Test
  void aReplacementThatFailsIsToldWithWhatStaysInUse() {
    datasets.with(Fixtures.dataset("a", DatasetPhase.Ready)).newOnesBecome(DatasetPhase.Failed);

    assertThat(call("{'dataset_name': 'a', 'text': 'x', 'replace': true}").text())
        .startsWith(
            "EXECUTION ERROR: DatasetFailed: Dataset 'a' could not be loaded: ParserError: line 3\n"
                + "Its earlier data (1 rows x 2 columns) stays in use.\n"
                + "Source: ");
  }

  @Test
  void aDatasetThatIsThereAlreadySaysThatItWasReadByOlderRules() {
    datasets.with(ofOlderRules(Fixtures.dataset("a", DatasetPhase.Ready)));

    assertThat(call("{'dataset_name': 'a', 'text': 'x'}").text())
        .endsWith(
            "set 'replace' to true to replace it\nDataset 'a' was read by older rules: load it again"
                + " with replace to have its values as in the source.");
  }

  @Test
  void theSameTextIsLoadedAgainWhereItWasReadByOlderRules() {
    datasets.with(ofOlderRules(withTable(Fixtures.dataset("a", DatasetPhase.Ready))));
    call("{'dataset_name': 'a', 'text': 'a,b\\n1,x\\n', 'replace': true}");

    assertThat(loadId("a")).isNotNull();
  }

  @Test
  void aDatasetThatWasReadByOlderRulesIsNotAfterItIsLoadedAgain() {
    datasets.with(ofOlderRules(Fixtures.dataset("a", DatasetPhase.Ready)));

    Reply reply = call("{'dataset_name': 'a', 'text': 'x', 'replace': true}");

    assertThat(reply.text()).startsWith("Dataset 'a' is ready").doesNotContain("older rules");
    assertThat(((DatasetDocument) Objects.requireNonNull(reply.structured())).message()).isNull();
  }

  private static Dataset ofOlderRules(Dataset dataset) {
    Snapshot snapshot = Objects.requireNonNull(dataset.getStatus().snapshot());
    dataset.setStatus(dataset.getStatus().withSnapshot(snapshot.withReading(Snapshot.READING - 1)));
    return dataset;
  }

  @Test
  void aFileOfAVolumeIsReadAgainByEachReplacement() {
    String load = "{'dataset_name': 'a', 'volume': 'lake', 'path': 'a.csv', 'replace': true}";
    call(load);
    String first = loadId("a");
    call(load);

    assertThat(loadId("a")).isNotNull().isNotEqualTo(first);
  }

  @Test
  void theSameTextIsLoadedAgainOnlyWhereItsSnapshotHasNoTable() {
    String load = "{'dataset_name': 'a', 'text': 'a,b\\n1,x\\n', 'replace': true}";
    datasets.with(Fixtures.dataset("a", DatasetPhase.Ready));
    call(load);
    assertThat(loadId("a")).isNotNull();

    datasets.with(withTable(Fixtures.dataset("a", DatasetPhase.Ready)));
    call(load);
    assertThat(loadId("a")).isNull();
  }

  @Test
  void aDatasetThatFailedAndHasNoDataIsLoadedOverWithoutBeingAsked() {
    datasets.with(Fixtures.dataset("a", DatasetPhase.Failed));

    assertThat(call("{'dataset_name': 'a', 'text': 'x'}").text())
        .startsWith("Dataset 'a' is ready");
  }

  @Test
  void aNameThatIsTheSameToKubernetesIsSaidToBe() {
    datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));

    assertThat(call("{'dataset_name': 'Sales Data', 'text': 'x'}").text())
        .isEqualTo(
            "EXECUTION ERROR: FileExistsError: There is a dataset 'sales_data' already, and 'Sales"
                + " Data' is equivalent to that name; set 'replace' to true to replace it");
  }

  private static Dataset withTable(Dataset dataset) {
    dataset.setStatus(dataset.getStatus().withSnapshot(Fixtures.snapshot().withTableColumns(2L)));
    return dataset;
  }

  private @Nullable String loadId(String name) {
    return datasets.find("runs", name).orElseThrow().getSpec().loadId();
  }

  private DatasetSource source(String name) {
    return datasets.find("runs", name).orElseThrow().getSpec().source();
  }

  private Reply call(String arguments) {
    return call(
        Json.mapper()
            .readValue(arguments.replace('\'', '"'), new TypeReference<Map<String, Object>>() {}));
  }

  private Reply call(Map<String, Object> values) {
    return call(values, new Cancellation());
  }

  /** Many clients give up after 60 s, and would load it once more. */
  @Test
  void aDatasetThatGoesOnLoadingIsNamedWithTheCallThatWaitsForIt() {
    patience = Duration.ofMillis(100);
    datasets.newOnesBecome(null);

    Reply reply = call(Map.of("dataset_name", "slow", "text", "a\n1\n"));

    assertThat(reply.isError()).isFalse();
    assertThat(reply.text())
        .startsWith("Dataset 'slow' is still loading: ")
        .endsWith(" describe_dataset(dataset_name=\"slow\") waits for it and shows its columns.");
    assertThat(((DatasetDocument) Objects.requireNonNull(reply.structured())).rows()).isNull();
  }

  private Reply call(Map<String, Object> values, Cancellation cancellation) {
    DatasetWait wait = new DatasetWait(Duration.ofMillis(50));
    return new GuardedTool(
            new LoadDataset(
                datasets,
                new ArtifactSource(
                    runs, new ArtifactReader(outputs), new ToolUse(runs, FakeRunClasses.usual())),
                new DatasetUploads(datasets, uploads, wait, FakeRunClasses.usual()),
                new LoadReplies(wait, FakeRunClasses.usual(), patience),
                16 << 20))
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, cancellation),
            values);
  }
}
