package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.CacheKey;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.analytics.InvalidationDocument;
import dev.assay.frontend.analytics.ProfileDocument;
import dev.assay.frontend.analytics.QueryDocument;
import dev.assay.frontend.analytics.ResultTables;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.analytics.SampleDocument;
import dev.assay.frontend.analytics.SamplingInfo;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetReadiness;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunWait;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** {@code profile_dataset}, {@code execute_query}, {@code stream_sample} and the cache. */
class AnalyticsToolsTest {
  private static final Duration TICK = Duration.ofMillis(20);
  private static final String IMAGE = "sha256:abc";
  private static final String TABLE =
      """
      {"table":{"columns":[{"name":"carrier","type":"VARCHAR"},{"name":"n","type":"BIGINT"}],
        "rows":[["UA",58665],["B6",54635]],"totalRows":2},
       "engine":"duckdb","engineMs":12,"rowsScanned":336776,"aggregation":true,"cacheable":true,
       "warnings":[]}\
      """;

  private final FakeRuns runs = new FakeRuns();

  /** One for all calls, so that runs of one millisecond are in their order. */
  private final RunNames names = new RunNames(Clock.systemUTC());

  private final FakeDatasets datasets = new FakeDatasets();
  private final FakeOutputs outputs = new FakeOutputs();
  private final FakeRunClasses classes =
      FakeRunClasses.usual()
          .with(withImage(FakeRunClasses.runClass("sql", Purpose.Run, "jvm:1", 10, 60)));
  private final CachedResults cache =
      new CachedResults(runs, classes, datasets, Duration.ofHours(1), Clock.systemUTC());
  private final QueryParameters common =
      new QueryParameters(new QueryParameters.Settings("python", "sql", 30, 600, 50));

  private static RunClass withImage(RunClass runClass) {
    runClass.setStatus(
        RunClassStatus.EMPTY.with().image(runClass.getSpec().image()).imageID(IMAGE).build());
    return runClass;
  }

  @BeforeEach
  void load() {
    datasets
        .with(Fixtures.dataset("flights", DatasetPhase.Ready))
        .with(Fixtures.dataset("sales_2024", DatasetPhase.Ready));
    returning(TABLE);
  }

  private void returning(String value) {
    runs.operator((fake, run) -> fake.status(run, cached(run, value)));
  }

  /** As the operator ends a run whose result may be used again. */
  private AnalyticsRunStatus cached(AnalyticsRun run, String value) {
    return Fixtures.returned(value)
        .withTimings(RunTimingsBuilder.builder().finished(Instant.now().toString()).build())
        .withCacheKey(
            CacheKey.of(
                run.getSpec(),
                Objects.requireNonNull(run.getSpec().className()),
                run.getSpec().datasetNames().stream()
                    .map(name -> datasets.read("runs", name).orElseThrow())
                    .flatMap(dataset -> PinnedSnapshot.of(dataset).stream())
                    .toList(),
                List.of(),
                IMAGE));
  }

  @Test
  void aQueryBecomesARunInTheLanguageOfItsType() {
    Reply reply =
        query(Map.of("query", "SELECT $a", "parameters", Map.of("a", 1), "return_limit", 7));

    AnalyticsRun run = runs.created.getFirst();
    AnalyticsRunSpec spec = run.getSpec();
    assertThat(spec.language()).isEqualTo(Language.SQL);
    assertThat(spec.className()).isEqualTo("sql");
    assertThat(spec.code()).isEqualTo("SELECT $a");
    assertThat(spec.input()).isEqualTo("{\"a\":1}");
    assertThat(spec.replyRows()).isEqualTo(7);
    assertThat(spec.datasetNames()).containsExactly("flights");
    assertThat(spec.timeoutSeconds()).isEqualTo(30);
    assertThat(spec.caller()).isEqualTo("alice");
    assertThat(reply.isError()).isFalse();
    String name = run.getMetadata().getName();
    assertThat(reply.text())
        .isEqualTo(
            "2 rows; duckdb, 12 ms, 336776 rows read; query_id "
                + name
                + "\ncarrier,n\nUA,58665\nB6,54635");
    QueryDocument document = (QueryDocument) Objects.requireNonNull(reply.structured());
    assertThat(document.resultType()).isEqualTo("aggregation");
    assertThat(document.data())
        .containsExactly(Map.of("carrier", "UA", "n", 58665), Map.of("carrier", "B6", "n", 54635));
    assertThat(document.columns()).containsExactly("carrier", "n");
    assertThat(document.columnTypes()).containsExactly("VARCHAR", "BIGINT");
    assertThat(document.summary())
        .isEqualTo(new QueryDocument.Summary(336776, 12, false, "duckdb"));
    assertThat(document.queryId()).isEqualTo(name);
    assertThat(document.truncated()).isFalse();
  }

  @Test
  void infinitiesAreTextsInJsonAndNoGapsInCsv() {
    returning(
        """
        {"table": {"columns": [{"name": "x", "type": "DOUBLE"}, {"name": "t", "type": "VARCHAR"}],
                   "rows": [["Infinity", "Infinity"], ["-Infinity", "-"], ["NaN", null], [null, "a"]],
                   "totalRows": 4},
         "engine": "duckdb", "engineMs": 1}
        """);

    Reply reply = query(Map.of());
    assertThat(reply.text()).endsWith("\nx,t\ninf,Infinity\n-inf,-\nnan,\n,a");
    QueryDocument document = (QueryDocument) Objects.requireNonNull(reply.structured());
    assertThat(JsonMapper.shared().writeValueAsString(document.data()))
        .isEqualTo(
            "[{\"x\":\"Infinity\",\"t\":\"Infinity\"},{\"x\":\"-Infinity\",\"t\":\"-\"},"
                + "{\"x\":\"NaN\",\"t\":null},{\"x\":null,\"t\":\"a\"}]");
    assertThat(document.columnTypes()).containsExactly("DOUBLE", "VARCHAR");
  }

  @Test
  void otherTypesRunInTheClassOfPython() {
    query(Map.of("query_type", "polars_expr", "query", "flights"));
    query(Map.of("query_type", "python", "query", "df", "engine", "pandas", "files", List.of()));

    assertThat(runs.created)
        .extracting(run -> run.getSpec().language() + " " + run.getSpec().className())
        .containsExactly("POLARS python", "PYTHON python");
    assertThat(runs.created.getLast().getSpec().datasets()).isNull();
  }

  @Test
  void rowsCanBeReturnedAsCsv() {
    QueryDocument document = document(query(Map.of("return_format", "csv", "return_limit", 1)));

    assertThat(document.csv()).isEqualTo("carrier,n\nUA,58665\n");
    assertThat(document.data()).isEmpty();
    assertThat(document.returnedRows()).isEqualTo(1);
    assertThat(document.totalRows()).isEqualTo(2);
    assertThat(document.truncated()).isTrue();
  }

  @Test
  void theSameQueryIsAnsweredFromTheCacheWithoutARun() {
    QueryDocument first = document(query(Map.of()));
    QueryDocument second = document(query(Map.of()));

    assertThat(runs.created).hasSize(1);
    assertThat(second.queryId()).isEqualTo(first.queryId());
    assertThat(Objects.requireNonNull(second.summary()).cacheHit()).isTrue();
    assertThat(second.data()).isEqualTo(first.data());
    assertThat(cache.counters(new Identity("alice", "runs")))
        .isEqualTo(new CachedResults.Counters(1, 1, 1, TABLE.getBytes(UTF_8).length));
  }

  @Test
  void anotherQueryNameLimitOrDatasetIsNotAnsweredFromTheCache() {
    query(Map.of());
    query(Map.of("query", "SELECT 2"));
    query(Map.of("cache_key", "mine"));
    query(Map.of("return_limit", 5));
    query(Map.of("files", List.of("sales_2024")));

    assertThat(runs.created).hasSize(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"python", "polars_expr"})
  void codeThatMayCallToolsIsNeverAnsweredFromTheCacheWhateverKeyAnEarlierRunHas(String type) {
    RunClass runClass = FakeRunClasses.runClass("python", Purpose.Run, "runner:1", 30, 60);
    runClass.setSpec(
        runClass.getSpec().withTools(new ClassTools(List.of("store"), null, null, null)));
    classes.with(withImage(runClass));

    query(Map.of("query_type", type, "query", "df"));
    query(Map.of("query_type", type, "query", "df"));

    assertThat(runs.created).hasSize(2);
  }

  @Test
  void aReplacedDatasetIsNotAnsweredFromTheCacheThoughTheCacheOfDatasetsIsBehind() {
    query(Map.of());
    Dataset before = datasets.find("runs", "flights").orElseThrow();
    Dataset replaced = Fixtures.dataset("flights", DatasetPhase.Ready);
    replaced.setStatus(
        Objects.requireNonNull(replaced.getStatus())
            .withSnapshot(Fixtures.snapshot().withId("s2")));
    datasets.with(replaced);
    datasets.cacheStillShows(before);

    query(Map.of());
    assertThat(runs.created).hasSize(2);
  }

  @Test
  void aQueryOverRowsThatCouldNotBeReplacedWarnsOfThemAlsoFromTheCache() {
    Dataset failed = Fixtures.dataset("flights", DatasetPhase.Failed);
    failed.setStatus(Objects.requireNonNull(failed.getStatus()).withSnapshot(Fixtures.snapshot()));
    datasets.with(failed);
    String warning =
        "Dataset 'flights' could not be replaced. Its earlier data (1 rows x 2 columns) stays in"
            + " use.";

    for (Reply reply : List.of(query(Map.of()), query(Map.of()))) {
      assertThat(reply.text()).contains("\nwarning: " + warning + "\ncarrier,n\n");
      assertThat(document(reply).warnings()).containsExactly(warning);
    }
    assertThat(runs.created).hasSize(1);
  }

  @Test
  void aQueryThatFailsOverRowsOfOlderRulesSaysSo() {
    readByOlderRules("flights");
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.Failed, RunReason.CodeError, "why", PayloadStarted.Yes, null)));

    assertThat(query(Map.of()).text())
        .endsWith(
            "\n- Dataset 'flights' was read by older rules: load it again with replace to have its"
                + " values as in the source.");
  }

  private void readByOlderRules(String name) {
    Dataset old = Fixtures.dataset(name, DatasetPhase.Ready);
    old.setStatus(
        Objects.requireNonNull(old.getStatus())
            .withSnapshot(Fixtures.snapshot().withReading(null)));
    datasets.with(old);
  }

  @Test
  void resultsAreForgottenByNameByPatternAndByDataset() {
    query(Map.of("cache_key", "daily_a"));
    query(Map.of("cache_key", "daily_b"));
    query(Map.of("cache_key", "weekly", "files", List.of("sales_2024")));

    InvalidationDocument removed = invalidate(Map.of("pattern", "daily_*"));
    assertThat(removed.invalidatedCount()).isEqualTo(2);
    assertThat(removed.keysRemoved()).containsExactly("daily_a", "daily_b");
    assertThat(invalidate(Map.of("pattern", "daily_*")).invalidatedCount()).isZero();
    query(Map.of("cache_key", "daily_a"));
    assertThat(runs.created).hasSize(4);
    assertThat(invalidate(Map.of("file_path", "/workspace/sales_2024.csv")).keysRemoved())
        .containsExactly("weekly");
    assertThat(invalidate(Map.of()).keysRemoved()).containsExactly("daily_a");
  }

  @Test
  void theResultOfAQueryThatWasInProgressWhenResultsWereForgottenIsNotUsed() {
    query(Map.of("cache_key", "daily"));
    query(Map.of("cache_key", "daily", "query_type", "python", "query", "1"));
    AnalyticsRun sql = runs.created.getFirst();
    AnalyticsRunStatus ended = runs.read("runs", nameOf(sql)).orElseThrow().getStatus();
    for (AnalyticsRun run : runs.created) {
      runs.status(run, Fixtures.running());
    }

    assertThat(invalidate(Map.of("file_path", "sales_2024")).inProgress()).isNull();
    InvalidationDocument removed = invalidate(Map.of("pattern", "d*", "file_path", "flights"));
    assertThat(removed.invalidatedCount()).isZero();
    assertThat(removed.inProgress()).isEqualTo(1);
    runs.status(sql, ended);
    query(Map.of("cache_key", "daily"));
    assertThat(runs.created).hasSize(3);
  }

  @Test
  void theReplySaysHowManyQueriesInProgressAreForgotten() {
    query(Map.of());
    runs.status(runs.created.getFirst(), Fixtures.running());
    assertThat(call(new CacheInvalidate(cache, datasets), Map.of()).text())
        .isEqualTo(
            "No cached results match. The result of 1 query in progress will not be cached.");
  }

  private static String nameOf(AnalyticsRun run) {
    return run.getMetadata().getName();
  }

  @Test
  void atMostFiveHundredResultsAreForgottenAtOnceAndTheReplySaysThatThereAreMore() {
    query(Map.of());
    AnalyticsRun first = runs.list("runs").getFirst();
    for (int i = 0; i < 500; i++) {
      AnalyticsRun run = Fixtures.run("copy-" + i, first.getStatus());
      run.setSpec(first.getSpec());
      runs.with(run);
    }

    Reply reply = call(new CacheInvalidate(cache, datasets), Map.of());
    assertThat(reply.text())
        .startsWith("500 cached results were forgotten: ")
        .endsWith(". There are more: call analytics_cache_invalidate again.");
    InvalidationDocument removed = (InvalidationDocument) reply.structured();
    assertThat(removed).extracting(InvalidationDocument::hasMore).isEqualTo(true);
    InvalidationDocument rest = invalidate(Map.of());
    assertThat(rest.invalidatedCount()).isEqualTo(1);
    assertThat(rest.hasMore()).isNull();
  }

  @Test
  void aClusterThatCannotBeAskedIsAnErrorOfTheCache() {
    query(Map.of());
    runs.cancelRefusal = new IllegalStateException("secret");

    Reply reply = call(new CacheInvalidate(cache, datasets), Map.of());
    assertThat(reply.text()).startsWith("ERROR 5004 (Cache Error): ").doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "engine|polars|engine 'polars' cannot run query_type 'sql': duckdb does",
        "engine|mysql|'engine' must be one of auto, duckdb, polars, pandas",
        "query_type|graphql|'query_type' must be one of sql, polars_expr, python",
        "query|` `|'query' is empty",
        "return_limit|x|'return_limit' must be a whole number, not a string",
        "return_format|xml|'return_format' must be one of json, csv, summary",
        "return_format|picture|'return_format' must be one of json, csv, summary, chart",
        "chart_type|pie|'chart_type' must be one of bar, line, scatter, histogram, heatmap",
        "time_zone|Mars|'time_zone' must be a name of the IANA database, such as America/New_York",
        "files|flights|'files' must be an array, not a string",
        "parameters|x|'parameters' must be an array or an object, not a string",
        "file|x|unknown argument 'file'; the arguments are query_type, query, files, engine,",
      })
  void aBadArgumentIsRefusedWithItsCode(String name, String value, String message) {
    Reply reply = query(Map.of(name, value));

    AnalyticsError error = error(reply, 4001);
    assertThat(error.message()).startsWith(message);
    assertThat(error.category()).isEqualTo("Invalid Input");
    assertThat(reply.text()).startsWith("ERROR 4001 (Invalid Input): " + message);
    assertThat(runs.created).isEmpty();
  }

  @Test
  void aTimeZoneIsOfSqlAlone() {
    query(Map.of("time_zone", "Asia/Tokyo"));
    assertThat(runs.created.getFirst().getSpec().reply())
        .isEqualTo(new ReplySpec(100, null, "Asia/Tokyo"));

    Reply refused = query(Map.of("query_type", "python", "time_zone", "Asia/Tokyo"));
    assertThat(error(refused, 4001).message())
        .isEqualTo(
            "'time_zone' belongs to query_type sql: in python convert the column, with"
                + " dt.tz_convert");
    assertThat(runs.created).hasSize(1);
  }

  @Test
  void aDatasetThatDoesNotExistOrFailedIsSaidBeforeARun() {
    datasets.with(Fixtures.dataset("broken", DatasetPhase.Failed));

    assertThat(error(query(Map.of("files", List.of("flihgts"))), 4002).message())
        .contains("Did you mean 'flights'?");
    assertThat(error(query(Map.of("files", List.of("/etc/passwd"))), 4001).message())
        .contains("outside of /workspace");
    assertThat(error(query(Map.of("files", List.of("broken"))), 4003).message())
        .isEqualTo("The dataset 'broken' could not be loaded: ParserError: line 3");
    assertThat(runs.created).isEmpty();
  }

  @Test
  void anErrorOfTheEngineKeepsItsCodeSuggestionsAndLine() {
    ended(
        RunPhase.Failed,
        RunReason.CodeError,
        RunErrorBuilder.builder()
            .type("BinderException")
            .message("Column 'revenu' not found. Did you mean 'revenue'?")
            .code("QUERY_ERROR")
            .build(),
        "{\"failure\":{\"suggestions\":[\"Use 'revenue'\"],\"context\":\"SELECT revenu\\n ^\"}}");

    AnalyticsError error = error(query(Map.of()), 4004);
    assertThat(error.message()).isEqualTo("Column 'revenu' not found. Did you mean 'revenue'?");
    assertThat(error.suggestions()).containsExactly("Use 'revenue'");
    assertThat(error.queryContext()).isEqualTo("SELECT revenu\n ^");
  }

  @Test
  void anErrorOfPythonNamesItsLine() {
    ended(
        RunPhase.Failed,
        RunReason.CodeError,
        RunErrorBuilder.builder().type("KeyError").message("'x'").line(2).build(),
        null);

    AnalyticsError error =
        error(query(Map.of("query_type", "python", "query", "a = 1\ndf['x']")), 4004);
    assertThat(error.message()).isEqualTo("KeyError: 'x'");
    assertThat(error.queryContext()).isEqualTo("line 2: df['x']");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ZeroDivisionError|division by zero|ZeroDivisionError: division by zero",
        "ResultError|the query has no value|the query has no value",
      })
  void anErrorOfPythonWithACodeKeepsItsType(String type, String said, String shown) {
    ended(
        RunPhase.Failed,
        RunReason.CodeError,
        RunErrorBuilder.builder().type(type).message(said).line(1).code("QUERY_ERROR").build(),
        "{\"failure\":{\"suggestions\":[\"Correct line 1 and call again\"]}}");

    AnalyticsError error = error(query(Map.of("query_type", "python", "query", "1 / 0")), 4004);
    assertThat(error.message()).isEqualTo(shown);
    assertThat(error.suggestions()).containsExactly("Correct line 1 and call again");
  }

  @Test
  void aProcessThatEndedByItselfIsAnErrorOfTheEngine() {
    ended(
        RunPhase.Failed,
        RunReason.CodeError,
        RunErrorBuilder.builder()
            .type("ProcessEnded")
            .message("The process ended with exit code 3")
            .build(),
        null);

    assertThat(error(query(Map.of()), 5001).message())
        .isEqualTo("The process ended with exit code 3");
  }

  @ParameterizedTest
  @CsvSource({
    "MemoryExceeded, 5002",
    "ScratchExceeded, 5002",
    "ClassTooSmall, 5002",
    "ClassNotAllowed, 4001",
    "InvalidSpec, 4001",
    "DatasetNotFound, 4002",
    "StartFailed, 5001",
    "PodLost, 5001",
    "RunnerLost, 5001",
  })
  void eachReasonOfARunHasItsCode(RunReason reason, int code) {
    ended(RunPhase.Failed, reason, null, null);

    assertThat(error(query(Map.of()), code).message()).isEqualTo("why");
  }

  @Test
  void aDatasetThatCannotBeReadAsTheQueryWantsIsAnErrorOfItsSchema() {
    ended(
        RunPhase.Failed,
        RunReason.StartFailed,
        RunErrorBuilder.builder()
            .type("SnapshotError")
            .message("the dataset flights has no table: load it again")
            .code("SCHEMA_ERROR")
            .build(),
        null);

    assertThat(error(query(Map.of()), 4003).message())
        .isEqualTo("the dataset flights has no table: load it again");
  }

  @Test
  void aTimeoutKeepsTheRowsThatWereThere() {
    ended(RunPhase.TimedOut, RunReason.DeadlineExceeded, null, TABLE);

    Reply reply = query(Map.of());
    AnalyticsError error = error(reply, 5003);
    assertThat(error.message()).isEqualTo("the query ran longer than its limit of 30 seconds");
    QueryDocument document = document(reply);
    assertThat(document.partial()).isTrue();
    assertThat(document.data()).hasSize(2);
    assertThat(reply.text()).endsWith("partial result, 2 rows:\ncarrier,n\nUA,58665\nB6,54635");
  }

  /** Agents that read the object alone would take it for all. */
  @Test
  void whatAReplyHasNoRoomForIsInItsObjectToo() {
    returning(
        """
        {"table":{"columns":[{"name":"a","type":"VARCHAR"},{"name":"b","type":"VARCHAR"}],
          "rows":[["%s","%s"],["x","y"]],"totalRows":2},
         "engine":"duckdb","engineMs":12,"rowsScanned":2,"aggregation":false,"cacheable":true,
         "warnings":["one of the worker"]}\
        """
            .formatted("word ".repeat(400), "word ".repeat(400)));

    assertThat(document(query(Map.of("return_limit", 2, "max_tokens", 200))).warnings())
        .containsExactly("one of the worker", "long values are shortened in: a, b");
  }

  private static String joined(int count, String format) {
    return IntStream.range(0, count).mapToObj(format::formatted).collect(Collectors.joining(","));
  }

  @Test
  void columnsThatHaveNoRoomAreInTheObjectToo() {
    String columns = joined(300, "{\"name\":\"a_long_name_%d\",\"type\":\"BIGINT\"}");
    String cells = joined(300, "%d");
    returning(
        """
        {"table":{"columns":[%s],"rows":[[%s]],"totalRows":1},"engine":"duckdb","engineMs":12,
         "rowsScanned":2,"aggregation":false,"cacheable":true,"warnings":[]}\
        """
            .formatted(columns, cells));

    QueryDocument document = document(query(Map.of("max_tokens", 500)));

    int omitted = 300 - Objects.requireNonNull(document.columns()).size();
    assertThat(omitted).isPositive();
    assertThat(document.warnings())
        .containsExactly("the last " + omitted + " columns are left out");
  }

  @Test
  void statisticsOfColumnsThatAreLeftOutOrEstimatedAreSaid() {
    String columns = joined(100, "{\"name\":\"column_%d\",\"type\":\"BIGINT\"}");
    String cells = joined(100, "%d");
    returning(
        """
        {"table":{"columns":[%s],"rows":[[%s],[%s]],"totalRows":2},"engine":"duckdb",
         "engineMs":12,"rowsScanned":2,"aggregation":false,"cacheable":true,"warnings":[],
         "summary":[{"name":"column_0","type":"BIGINT","nulls":0,"distinct":26000,
          "distinctApprox":true,"min":0,"max":9,"mean":4.5}]}\
        """
            .formatted(columns, cells, cells));

    Reply reply = query(Map.of("return_format", "summary"));

    assertThat(reply.text()).contains("column_0,BIGINT,0,~26000,0,9,4.5\n[and 99 more columns]");
    assertThat(document(reply).warnings())
        .containsExactly("the statistics of 99 more columns are left out");
    assertThat(Objects.requireNonNull(document(reply).columnSummary()).getFirst().distinctApprox())
        .isTrue();
  }

  @Test
  void theResultOfAQueryThatCalledToolsIsMarked() {
    assertThat(queryOf(ToolCallCounts.NONE).isUntrusted()).isFalse();
    assertThat(queryOf(new ToolCallCounts(1, 0, 0)).isUntrusted()).isTrue();
  }

  private Reply queryOf(ToolCallCounts calls) {
    runs.operator((fake, run) -> fake.status(run, Fixtures.returned(TABLE).withToolCalls(calls)));
    return query(
        Map.of("query_type", "python", "query", "result = " + calls.sent(), "files", List.of()));
  }

  @Test
  void oneRowHasNoStatisticsAndIsShown() {
    returning(
        """
        {"table":{"columns":[{"name":"n","type":"BIGINT"}],"rows":[[7]],"totalRows":1},
         "engine":"duckdb","engineMs":12,"rowsScanned":2,"aggregation":true,"cacheable":true,
         "warnings":[]}\
        """);

    Reply reply = query(Map.of("return_format", "summary"));

    assertThat(reply.text()).startsWith("1 row; ").endsWith("n\n7");
    assertThat(document(reply).data()).containsExactly(Map.of("n", 7));
  }

  @Test
  void aForgedOrMissingValueIsAnErrorThatSaysNothingOfIt() {
    for (String value : List.of("{\"table\": [\"secret\"]}", "{}", "nonsense", "[".repeat(100))) {
      returning(value);
      assertThat(error(query(Map.of("query", value)), 5001).message()).doesNotContain("secret");
    }
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));
    assertThat(error(query(Map.of("query", "SELECT 9")), 5001).message())
        .isEqualTo("the run returned no result");
  }

  @Test
  void aScriptWithoutAResultIsToldHowToHaveOne() {
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("printed")));

    AnalyticsError error = error(query(Map.of("query_type", "python", "query", "x = 1")), 4004);
    assertThat(error.message())
        .isEqualTo("the query has no value: end it with an expression, or assign it to result");
    assertThat(error.suggestions())
        .containsExactly(
            "A result is a table, a list, a dict or a scalar, such as: result = df.head()");
  }

  @Test
  void aLongValueIsReadFromTheStoreIfItIsTheOneThatTheStatusNames() {
    stored(null);
    assertThat(error(query(Map.of("query", "SELECT 1")), 5001).message())
        .isEqualTo("the result is not stored any more");
    stored(TABLE);
    assertThat(query(Map.of("query", "SELECT 2")).isError()).isFalse();
    stored("{}");
    assertThat(error(query(Map.of("query", "SELECT 3")), 5001).message())
        .isEqualTo("the stored result is damaged");
  }

  private void stored(@Nullable String value) {
    runs.operator(
        (fake, run) -> {
          if (value != null) {
            outputs.value(run.getMetadata().getUid(), value);
          }
          fake.status(
              run,
              Fixtures.succeeded("")
                  .withResult(
                      Fixtures.result("", null)
                          .withValueBytes(9_000L)
                          .withValueDigest(sha256(TABLE))));
        });
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatIsLeftOutOfALongResultIsSaid() {
    StringBuilder rows = new StringBuilder("[\"row 0\"]");
    for (int i = 1; i < 1_000; i++) {
      rows.append(",[\"row number ").append(i).append(" of many\"]");
    }
    returning(
        "{\"table\":{\"columns\":[{\"name\":\"a\",\"type\":\"VARCHAR\"}],\"rows\":["
            + rows
            + "],\"totalRows\":50000},\"engine\":\"duckdb\",\"summary\":[{\"name\":\"a\",\"type\":"
            + "\"VARCHAR\",\"nulls\":0,\"distinct\":50000}]}");

    QueryDocument usual = document(query(Map.of("return_limit", 1_000)));
    assertThat(usual.returnedRows()).isEqualTo(1_000);
    Reply small = query(Map.of("max_tokens", 200, "query", "SELECT 2"));
    QueryDocument cut = document(small);
    assertThat(cut.returnedRows()).isBetween(5, 60);
    assertThat(cut.columnSummary()).hasSize(1);
    assertThat(small.text())
        .contains(" of 50000 rows; ", "get_run with rows {\"offset\": " + cut.returnedRows());
  }

  /** Ten strata of ten long rows each, in the order of the strata. */
  private static String strata(String strategy, String order) {
    String rows =
        IntStream.range(0, 100)
            .mapToObj(i -> "[%d,%d,\"%s\"]".formatted(i, i / 10, "word ".repeat(40)))
            .collect(Collectors.joining(","));
    return """
        {"table":{"columns":[{"name":"id","type":"BIGINT"},{"name":"k","type":"BIGINT"},\
        {"name":"t","type":"VARCHAR"}],"rows":[%s],"totalRows":100},"sampling":{"strategy":"%s",\
        "rowsSampled":100,"totalRows":1000,"columnsIncluded":[]%s},"engine":"duckdb","engineMs":3}\
        """
        .formatted(rows, strategy, order);
  }

  private SampleDocument sampled(Map<String, Object> arguments) {
    Map<String, Object> all = new HashMap<>(arguments);
    all.put("file_path", "flights");
    Reply reply = call(new StreamSample(common, queries()), all);
    SampleDocument document = (SampleDocument) Objects.requireNonNull(reply.structured());
    SamplingInfo info = Objects.requireNonNull(document.samplingInfo());
    assertThat(reply.text()).contains(": " + info.rowsSampled() + " of 1000 rows");
    if (info.rowsOmitted() != null) {
      assertThat(reply.text())
          .contains("[" + info.rowsOmitted() + " sampled rows do not fit: select fewer columns");
    }
    return document;
  }

  @ParameterizedTest
  @ValueSource(strings = {"stratified", "random", "systematic"})
  void aSampleThatHasNoRoomIsASmallerSampleOfItsStrategy(String strategy) {
    // Each stratum in turn.
    String order =
        IntStream.range(0, 100)
            .mapToObj(i -> String.valueOf(i % 10 * 10 + i / 10))
            .collect(Collectors.joining(",", ",\"order\":[", "]"));
    returning(strata(strategy, strategy.equals("systematic") ? "" : order));
    SampleDocument document =
        sampled(
            strategy.equals("stratified")
                ? Map.of("strategy", strategy, "stratify_column", "k", "max_tokens", 800)
                : Map.of("strategy", strategy, "max_tokens", 800));

    List<Map<String, @Nullable Object>> shown = Objects.requireNonNull(document.sample());
    assertThat(shown).hasSizeBetween(10, 60);
    assertThat(shown.stream().map(row -> row.get("k")).distinct()).hasSize(10);
    SamplingInfo info = Objects.requireNonNull(document.samplingInfo());
    assertThat(info.rowsSampled()).isEqualTo(shown.size());
    assertThat(info.rowsOmitted()).isEqualTo(100 - shown.size());
    assertThat(info.columnsShortened()).containsExactly("t");
  }

  @Test
  void aSizeThatWasAskedForIsObeyed() {
    returning(strata("random", ",\"order\":[]"));
    SampleDocument document = sampled(Map.of("sample_size", 100));

    assertThat(document.sample()).hasSize(100);
    SamplingInfo info = Objects.requireNonNull(document.samplingInfo());
    assertThat(info.rowsOmitted()).isNull();
    assertThat(info.columnsShortened()).containsExactly("t");
  }

  @Test
  void aSampleIsBuiltinWork() {
    returning(
        """
        {"table":{"columns":[{"name":"a","type":"BIGINT"}],"rows":[[1],[2]],"totalRows":2},
         "sampling":{"strategy":"stratified","rowsSampled":2,"totalRows":9,"columnsIncluded":["a"],
           "seed":7},"engine":"duckdb","engineMs":3}\
        """);

    Reply reply =
        call(
            new StreamSample(common, queries()),
            Map.of(
                "file_path", "/workspace/flights.csv",
                "strategy", "stratified",
                "stratify_column", "b",
                "columns", List.of("a"),
                "seed", 7));

    AnalyticsRunSpec spec = runs.created.getFirst().getSpec();
    assertThat(spec.code()).isNull();
    assertThat(Objects.requireNonNull(spec.builtin()).arguments())
        .isEqualTo(
            "{\"dataset\":\"flights\",\"strategy\":\"stratified\",\"size\":20,"
                + "\"columns\":[\"a\"],\"stratifyColumn\":\"b\",\"seed\":7}");
    assertThat(reply.text()).startsWith("flights: 2 of 9 rows (stratified, seed 7); query_id run-");
    SampleDocument document = (SampleDocument) Objects.requireNonNull(reply.structured());
    assertThat(document.sample()).containsExactly(Map.of("a", 1), Map.of("a", 2));
    assertThat(Objects.requireNonNull(document.samplingInfo()).totalRows()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "strategy|stratified|missing argument 'stratify_column'",
        "strategy|best|'strategy' must be one of head, random, stratified, systematic",
        "stratify_column|b|'stratify_column' belongs to strategy stratified",
        "file_path|sales_9*|No dataset matches",
      })
  void aBadArgumentOfASampleIsRefused(String name, String value, String message) {
    Map<String, Object> arguments = new HashMap<>(Map.of("file_path", "flights"));
    arguments.put(name, value);

    Reply reply = call(new StreamSample(common, queries()), arguments);
    assertThat(reply.text()).contains(message);
    assertThat(((SampleDocument) Objects.requireNonNull(reply.structured())).resultType())
        .isEqualTo("error");
  }

  @Test
  void aProfileKeepsToItsTokensAndNamesAllColumns() {
    StringBuilder columns = new StringBuilder();
    for (int i = 0; i < 25; i++) {
      columns
          .append(i == 0 ? "" : ",")
          .append(
              """
              {"name":"column_%d","type":"float64","nullPct":%d,"uniqueCount":%d,
               "sampleValues":[1.5,2.5],"min":0.123456789,"max":99.5,"mean":50.25,"q25":25,
               "q50":50,"q75":75}\
              """
                  .formatted(i, i, i * 10));
    }
    returning(
        "{\"profile\":{\"columns\":["
            + columns
            + "],\"rowCount\":10000000,\"columnCount\":25,\"memoryBytes\":2000000000,"
            + "\"fileBytes\":524288000,\"qualityScore\":95.0,\"recommendations\":[\"Drop it\"]},"
            + "\"engine\":\"duckdb\",\"engineMs\":900}");

    Reply reply =
        call(new ProfileDataset(common, queries()), Map.of("file_path", "dataset://flights"));

    ProfileDocument document = (ProfileDocument) Objects.requireNonNull(reply.structured());
    assertThat(document.contextTokensUsed()).isBetween(200, 380);
    assertThat(Objects.requireNonNull(document.schema()).columns()).hasSize(25);
    assertThat(Objects.requireNonNull(document.statistics()).fileSize()).isEqualTo("500.0 MiB");
    assertThat(reply.text())
        .startsWith("flights: 10000000 rows x 25 columns, file 500.0 MiB, memory 1.9 GiB")
        .contains("column_24: float64", "[details of 25 columns omitted: raise max_tokens]")
        .endsWith("- Drop it");
    assertThat(document.reducedColumns()).isEqualTo(25);
    Reply whole =
        call(
            new ProfileDataset(common, queries()),
            Map.of("file_path", "flights", "max_tokens", 5_000));
    assertThat(whole.text())
        .contains("column_3: float64, 3% null, 30 unique, 0.123457..99.5, mean 50.25")
        .doesNotContain("omitted");
  }

  @Test
  void aProfileShowsTheGravestNotesAndCountsTheOthers() {
    returning(
        "{\"profile\":{\"columns\":[],\"rowCount\":9,\"columnCount\":0,\"memoryBytes\":2,"
            + "\"fileBytes\":2,\"qualityScore\":95.0,\"recommendations\":[]},"
            + "\"engine\":\"duckdb\",\"engineMs\":900}");
    Dataset noted = Fixtures.dataset("flights", DatasetPhase.Ready);
    SnapshotNote note = new SnapshotNote(NoteCode.MissingText, "NA is missing", 2, 1L, null);
    SnapshotColumn column =
        SnapshotColumnBuilder.builder()
            .name("code")
            .type("str")
            .notes(Collections.nCopies(8, note))
            .build();
    noted.setStatus(
        Objects.requireNonNull(noted.getStatus())
            .withSnapshot(
                Fixtures.snapshot()
                    .withColumns(Collections.nCopies(20, column))
                    .withNotes(
                        List.of(
                            new SnapshotNote(
                                NoteCode.LinesLeftOut, "3 lines were left out", 3, 7L, null)))));
    datasets.with(noted);

    Reply reply = call(new ProfileDataset(common, queries()), Map.of("file_path", "flights"));

    ProfileDocument document = (ProfileDocument) Objects.requireNonNull(reply.structured());
    int shown = Objects.requireNonNull(document.notes()).size();
    assertThat(shown).isBetween(5, 20);
    assertThat(document.omittedNotes()).isEqualTo(161 - shown);
    assertThat(reply.text())
        .contains(
            "quality 95.0\nnote: 3 lines were left out\nnote: code: NA is missing\nnote: code: ")
        .endsWith("[and " + (161 - shown) + " more notes: describe_dataset]");
    assertThat(document.contextTokensUsed()).isLessThan(200);
  }

  @ParameterizedTest
  @CsvSource({
    "false, 'quality 95.0, 7 duplicate rows'",
    "true, 'quality 95.0, ~7 duplicate rows'",
  })
  void aNumberOfDuplicateRowsThatIsEstimatedSaysSo(boolean approx, String shown) {
    returning(
        "{\"profile\":{\"columns\":[],\"rowCount\":9,\"columnCount\":0,\"memoryBytes\":2,"
            + "\"fileBytes\":2,\"qualityScore\":95.0,\"duplicateRows\":7,"
            + "\"duplicateRowsApprox\":%s,\"recommendations\":[]},".formatted(approx)
            + "\"engine\":\"duckdb\",\"engineMs\":900}");

    Reply reply = call(new ProfileDataset(common, queries()), Map.of("file_path", "flights"));

    assertThat(reply.text()).contains(shown);
    ProfileDocument document = (ProfileDocument) Objects.requireNonNull(reply.structured());
    assertThat(Objects.requireNonNull(document.statistics()).duplicateRowsApprox())
        .isEqualTo(approx ? true : null);
  }

  @ParameterizedTest
  @CsvSource({"1e400,1E+400", "-1e400,-1E+400"})
  void aNumberThatIsTooLargeForADoubleIsShownAsItIs(String number, String shown) {
    returning(
        "{\"profile\":{\"columns\":[{\"name\":\"big\",\"type\":\"float64\",\"nullPct\":0,"
            + "\"uniqueCount\":2,\"sampleValues\":[],\"min\":%s,\"max\":%s}],"
                .formatted(number, number)
            + "\"rowCount\":2,\"columnCount\":1,\"memoryBytes\":2,\"fileBytes\":2,"
            + "\"qualityScore\":95.0,\"recommendations\":[]},"
            + "\"engine\":\"duckdb\",\"engineMs\":900}");

    Reply reply = call(new ProfileDataset(common, queries()), Map.of("file_path", "flights"));
    assertThat(reply.text()).contains("big: float64, 2 unique, " + shown + ".." + shown);
  }

  @Test
  void aQueryOfMorePathsThanThereCanBeIsRefusedBeforeAnyIsMatched() {
    Reply reply = query(Map.of("files", Collections.nCopies(257, "flights")));
    assertThat(error(reply, 4001).message()).isEqualTo("'files' has more than 256 elements");
    assertThat(query(Map.of("files", Collections.nCopies(256, "flights"))).isError()).isFalse();
  }

  @Test
  void aQueryThatIsNotWaitedForNamesItsRunWhichGoesOn() {
    runs.operator((fake, run) -> {});

    Reply reply = query(Map.of("wait_seconds", 0));

    String name = nameOf(runs.created.getFirst());
    assertThat(reply.isError()).isFalse();
    assertThat(reply.text())
        .isEqualTo(
            "The run "
                + name
                + " continues: Pending after 0 s. get_run(name=\""
                + name
                + "\", wait_seconds=30, rows={\"offset\": 0}) waits for its end and shows its rows;"
                + " cancel_run stops it.");
    QueryDocument document = document(reply);
    assertThat(document.resultType()).isEqualTo("in_progress");
    assertThat(document.queryId()).isEqualTo(name);
    assertThat(document.message()).isEqualTo(reply.text());
    assertThat(document.error()).isNull();
    assertThat(document.data()).isNull();
    assertThat(runs.cancelled).isEmpty();
    assertThat(runs.followed()).isEmpty();
  }

  @Test
  void aQueryThatLastsLongerThanItIsWaitedForShowsItsRowsLater() {
    runs.operator(
        (fake, run) ->
            fake.status(
                run, Fixtures.status(RunPhase.Running, RunReason.Started, "x", null, null)));

    Reply reply = query(Map.of("wait_seconds", 1, "generate_chart", true));

    assertThat(reply.text())
        .contains(" continues: Running after 1 s. ")
        .endsWith(" shows its rows, and without rows its chart; cancel_run stops it.");
    AnalyticsRun run = runs.created.getFirst();
    runs.status(run, cached(run, TABLE));
    assertThat(call(getRun(), Map.of("name", nameOf(run), "rows", Map.of("offset", 0))).text())
        .isEqualTo("Rows 0 to 2 of 2\ncarrier,n\nUA,58665\nB6,54635\n");
    QueryDocument again = document(query(Map.of("wait_seconds", 0, "generate_chart", true)));
    assertThat(again.queryId()).isEqualTo(nameOf(run));
    assertThat(again.returnedRows()).isEqualTo(2);
    assertThat(runs.created).hasSize(1);
  }

  @Test
  void aQueryThatEndsWhileItIsWaitedForIsAnsweredWithItsRows() {
    assertThat(document(query(Map.of("wait_seconds", 600))).returnedRows()).isEqualTo(2);
    assertThat(error(query(Map.of("wait_seconds", 601)), 4001).message())
        .isEqualTo("'wait_seconds' must be between 0 and 600, not 601");
  }

  @Test
  void aQueryThatIsNotWaitedForLeavesItToItsRunToWaitForADataset() {
    datasets.with(Fixtures.dataset("coming", DatasetPhase.Loading));

    Reply reply = query(Map.of("files", List.of("coming"), "wait_seconds", 0));

    assertThat(document(reply).resultType()).isEqualTo("in_progress");
    assertThat(runs.created.getFirst().getSpec().datasetNames()).containsExactly("coming");
  }

  @Test
  void aProfileAndASampleThatAreNotWaitedForNameTheirRuns() {
    runs.operator((fake, run) -> {});

    Reply sample =
        call(
            new StreamSample(common, queries()),
            Map.of("file_path", "flights", "strategy", "head", "wait_seconds", 0));
    Reply profile =
        call(
            new ProfileDataset(common, queries()),
            Map.of("file_path", "flights", "wait_seconds", 0));

    assertThat(sample.isError()).isFalse();
    assertThat(sample.text())
        .contains("rows={\"offset\": 0}) waits for its end and shows its rows");
    SampleDocument sampled = (SampleDocument) Objects.requireNonNull(sample.structured());
    assertThat(sampled.resultType()).isEqualTo("in_progress");
    assertThat(sampled.queryId()).isEqualTo(nameOf(runs.created.getFirst()));
    assertThat(sampled.message()).isEqualTo(sample.text());
    assertThat(profile.isError()).isFalse();
    assertThat(profile.text())
        .contains(
            ", wait_seconds=30) waits for its end; the same call then returns the profile, usually"
                + " from the cache; ");
    ProfileDocument profiled = (ProfileDocument) Objects.requireNonNull(profile.structured());
    assertThat(profiled.resultType()).isEqualTo("in_progress");
    assertThat(profiled.queryId()).isEqualTo(nameOf(runs.created.getLast()));
    assertThat(profiled.message()).isEqualTo(profile.text());
  }

  @Test
  void aDatasetIsDeleted() {
    assertThat(call(new DeleteDataset(datasets), Map.of("dataset_name", "sales-2024")).text())
        .isEqualTo("Dataset 'sales-2024' was deleted.");
    Reply again = call(new DeleteDataset(datasets), Map.of("dataset_name", "sales_2024"));
    assertThat(again.isError()).isTrue();
    assertThat(again.text()).contains("not loaded");
  }

  private void ended(
      RunPhase phase, RunReason reason, @Nullable RunError error, @Nullable String value) {
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    phase,
                    reason,
                    "why",
                    PayloadStarted.Yes,
                    value == null
                        ? Fixtures.result("", error)
                        : Fixtures.result("", error)
                            .withValue(value)
                            .withValueBytes((long) value.length()))));
  }

  private AnalyticsCall queries() {
    return new AnalyticsCall(
        datasets,
        new DatasetReadiness(datasets, new DatasetWait(TICK), Duration.ofMillis(400)),
        new RunCall(
            runs,
            classes,
            new RunWait(runs, TICK, Duration.ofMillis(100)),
            new OutputReader(outputs, new ReplyBound(65_536, 20_000)),
            new ReplyArtifacts(new ArtifactReader(outputs)),
            names),
        cache,
        new RunValues(outputs),
        new ReplyArtifacts(new ArtifactReader(outputs)));
  }

  private Tool getRun() {
    return new GetRun(
        runs,
        classes,
        new RunWait(runs, TICK, Duration.ofMillis(100)),
        new RunReplies(
            new OutputReader(outputs, new ReplyBound(65_536, 20_000)),
            new ResultTables(new RunValues(outputs), new ArtifactReader(outputs)),
            new RunValues(outputs),
            new ReplyArtifacts(new ArtifactReader(outputs))));
  }

  private Reply query(Map<String, Object> arguments) {
    Map<String, Object> all = new HashMap<>();
    all.put("query_type", "sql");
    all.put("query", "SELECT carrier, count(*) AS n FROM flights GROUP BY 1");
    all.put("files", List.of("flights"));
    all.putAll(arguments);
    return call(new ExecuteQuery(common, queries()), all);
  }

  private InvalidationDocument invalidate(Map<String, Object> arguments) {
    Reply reply = call(new CacheInvalidate(cache, datasets), arguments);
    return (InvalidationDocument) Objects.requireNonNull(reply.structured());
  }

  private static QueryDocument document(Reply reply) {
    return (QueryDocument) Objects.requireNonNull(reply.structured());
  }

  private static AnalyticsError error(Reply reply, int code) {
    assertThat(reply.isError()).as(reply.text()).isTrue();
    QueryDocument document = document(reply);
    assertThat(document.resultType()).isEqualTo("error");
    AnalyticsError error = Objects.requireNonNull(document.error());
    assertThat(error.code()).isEqualTo(code);
    assertThat(error.suggestions()).isNotEmpty();
    return error;
  }

  private static Reply call(Tool tool, Map<String, Object> arguments) {
    return new GuardedTool(tool)
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation()),
            arguments);
  }
}
