package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.ExportDocument;
import dev.assay.frontend.analytics.ResultTables;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.token.TokenEstimate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExportResultTest {
  private static final String EXPORTED =
      """
      {"export":{"files":[{"path":"exports/sales.parquet","bytes":2048}],"rows":2}}""";

  private final AnalyticsTestBed bed = new AnalyticsTestBed();

  @BeforeEach
  void query() {
    bed.with("run-q", queried(2));
  }

  private static AnalyticsRunStatus queried(long totalRows) {
    return Fixtures.returned(
            """
            {"table":{"columns":[{"name":"Region","type":"VARCHAR"},{"name":"n","type":"BIGINT"}],
              "rows":[["EU",1],["US",2]],"totalRows":%d}}"""
                .formatted(totalRows))
        .withArtifacts(
            List.of(
                Fixtures.artifact(
                    "results/result.parquet", new byte[4], "application/vnd.apache.parquet")));
  }

  private Reply export(Map<String, Object> arguments) {
    Map<String, Object> all = new HashMap<>();
    all.put("query_id", "run-q");
    all.put("destination", "/workspace/exports");
    all.putAll(arguments);
    return AnalyticsTestBed.call(
        new ExportResult(
            bed.common,
            bed.runs,
            new ResultTables(new RunValues(bed.outputs), bed.artifacts),
            bed.queries()),
        all);
  }

  private static ExportDocument document(Reply reply) {
    return (ExportDocument) Objects.requireNonNull(reply.structured());
  }

  private AnalyticsError refused(Map<String, Object> arguments, int code) {
    Reply reply = export(arguments);
    assertThat(reply.isError()).as(reply.text()).isTrue();
    assertThat(document(reply).exported()).isFalse();
    assertThat(document(reply).resultType()).isEqualTo("error");
    AnalyticsError error = Objects.requireNonNull(document(reply).error());
    assertThat(error.code()).isEqualTo(code);
    assertThat(bed.runs.created).isEmpty();
    return error;
  }

  private String path() {
    BuiltinSpec builtin = Objects.requireNonNull(bed.runs.created.getLast().getSpec().builtin());
    return String.valueOf(builtin.arguments()).replaceAll(".*\"path\":\"([^\"]*)\".*", "$1");
  }

  @Test
  void anExportIsARunWhoseInputAreTheRowsOfTheQuery() {
    bed.returning(
        EXPORTED,
        Fixtures.artifact(
            "exports/sales.parquet", new byte[2048], "application/vnd.apache.parquet"));

    Reply reply = export(Map.of("filename", "sales"));

    AnalyticsRunSpec spec = bed.runs.created.getFirst().getSpec();
    assertThat(spec.language()).isEqualTo(Language.SQL);
    assertThat(spec.className()).isEqualTo("sql");
    assertThat(spec.datasetNames()).isEmpty();
    assertThat(spec.inputs())
        .containsExactly(new RunInput("run-q", "results/result.parquet", null));
    assertThat(spec.builtin())
        .isEqualTo(
            new BuiltinSpec(
                Builtin.EXPORT,
                "{\"format\":\"parquet\",\"compression\":\"snappy\",\"path\":\"exports/sales.parquet\"}"));
    String name = bed.runs.created.getFirst().getMetadata().getName();
    assertThat(reply.text())
        .isEqualTo("Exported 2 rows to /workspace/exports/sales.parquet (2.0 KiB) in " + name);
    assertThat(TokenEstimate.of(reply.text())).isLessThanOrEqualTo(50);
    assertThat(reply.content().getLast())
        .isEqualTo(
            new ContentBlock.ResourceLink(
                "assay://runs/" + name + "/artifacts/exports/sales.parquet",
                "exports/sales.parquet",
                "application/vnd.apache.parquet",
                2048));
    assertThat(document(reply))
        .isEqualTo(
            new ExportDocument(
                true,
                "/workspace/exports/sales.parquet",
                2L,
                "2.0 KiB",
                List.of("/workspace/exports/sales.parquet"),
                name,
                null,
                null,
                null,
                null,
                TokenEstimate.of(reply.text())));
  }

  @ParameterizedTest
  @CsvSource({
    "parquet, , sales, exports/sales.parquet",
    "csv, , sales, exports/sales.csv",
    "csv, gzip, sales, exports/sales.csv.gz",
    "csv, gzip, sales.csv, exports/sales.csv.gz",
    "csv, gzip, sales.csv.gz, exports/sales.csv.gz",
    "json, zstd, sales, exports/sales.json.zst",
    "parquet, zstd, a.b, exports/a.b.parquet",
    "parquet, gzip, SALES.PARQUET, exports/SALES.PARQUET",
    "xlsx, snappy, sales, exports/sales.xlsx",
    "csv, none, , exports/run-q.csv"
  })
  void aFileHasTheExtensionOfItsFormat(
      String format, String compression, String filename, String path) {
    bed.returning(EXPORTED);
    Map<String, Object> arguments = new HashMap<>(Map.of("format", format));
    arguments.put("compression", compression);
    arguments.put("filename", filename);

    assertThat(export(arguments).isError()).isFalse();
    assertThat(path()).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource({
    "/workspace, sales.parquet",
    "/workspace/, sales.parquet",
    "exports/2024, exports/2024/sales.parquet",
    "./a//b/., a/b/sales.parquet",
    "/workspace/ä ö, ä ö/sales.parquet"
  })
  void aDestinationIsAFolderBelowTheWorkspace(String destination, String path) {
    bed.returning(EXPORTED);

    assertThat(export(Map.of("destination", destination, "filename", "sales")).isError()).isFalse();
    assertThat(path()).isEqualTo(path);
  }

  @Test
  void filesForTheValuesOfAColumnAreInAFolder() {
    bed.returning(
        """
        {"export":{"files":[{"path":"exports/by/EU.csv","bytes":10},
          {"path":"exports/by/US.csv","bytes":20}],"rows":2}}""");

    Reply reply = export(Map.of("format", "csv", "filename", "by", "partition_by", "region"));

    assertThat(path()).isEqualTo("exports/by");
    assertThat(reply.text()).startsWith("Exported 2 rows to /workspace/exports/by (2 files, 30 B)");
    assertThat(document(reply).filesCreated())
        .containsExactly("/workspace/exports/by/EU.csv", "/workspace/exports/by/US.csv");
  }

  @Test
  void rowsThatAreNotStoredAreSaid() {
    bed.with("run-q", queried(336_776));
    bed.returning(EXPORTED);

    Reply reply = export(Map.of());

    String warning =
        "the result has 336776 rows; only the first 2 are stored and exported. To get all, have the"
            + " query write the file: COPY (SELECT ...) TO 'artifacts/rows.parquet' in SQL,"
            + " to_parquet or write_parquet in Python";
    assertThat(reply.text()).endsWith("\nwarning: " + warning);
    assertThat(document(reply).warnings()).containsExactly(warning);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "compression|snappy|compression 'snappy' cannot be used for csv: use gzip, none, zstd",
        "compression|lz4|'compression' must be one of none, gzip, snappy, zstd",
        "format|orc|'format' must be one of csv, parquet, json, xlsx",
        "destination|/etc|'destination' is outside of /workspace",
        "destination|/workspace/../etc|'destination' has '..'",
        "destination|/workspacex|'destination' is outside of /workspace",
        "destination|s3://bucket/a|'destination' is a URL",
        "destination|results|'destination' is used by Assay itself",
        "destination|.work/a|'destination' is used by Assay itself",
        "filename|a/b|'filename' must be a name without '/'",
        "filename|../b|'filename' must be a name without '/'",
        "query|x|unknown argument 'query'",
      })
  void aBadArgumentIsRefused(String name, String value, String message) {
    Map<String, Object> arguments = new HashMap<>(Map.of("format", "csv"));
    arguments.put(name, value);

    assertThat(refused(arguments, 4001).message()).startsWith(message);
  }

  @Test
  void aWorkbookHasNoPartitions() {
    assertThat(refused(Map.of("format", "xlsx", "partition_by", "n"), 4001).message())
        .isEqualTo("'partition_by' cannot be used for xlsx: use csv, json or parquet");
  }

  @Test
  void aPathWithControlCharactersIsRefused() {
    assertThat(refused(Map.of("filename", "a\u001b[2Jb"), 4001).message())
        .contains("have characters that a path cannot have");
    assertThat(refused(Map.of("filename", "a".repeat(300)), 4001).message())
        .contains("are too long together");
  }

  @Test
  void aColumnThatTheResultDoesNotHaveIsNamedWithTheNearestOne() {
    assertThat(refused(Map.of("format", "csv", "partition_by", "regoin"), 4003).message())
        .isEqualTo(
            "'partition_by' names a column that the result does not have: 'regoin'. Did you mean"
                + " 'Region'?");
  }

  @Test
  void anExportThatIsNotWaitedForNamesItsRun() {
    bed.runs.operator((fake, run) -> {});

    Reply reply = export(Map.of("wait_seconds", 0));

    String name = bed.runs.created.getFirst().getMetadata().getName();
    assertThat(reply.isError()).isFalse();
    assertThat(reply.text())
        .startsWith("The run " + name + " continues: Pending after 0 s. get_run(name=\"" + name)
        .contains("\", wait_seconds=30) waits for its end and shows its files; ");
    ExportDocument document = document(reply);
    assertThat(document.exported()).isFalse();
    assertThat(document.resultType()).isEqualTo("in_progress");
    assertThat(document.queryId()).isEqualTo(name);
    assertThat(document.message()).isEqualTo(reply.text());
    assertThat(document.error()).isNull();
  }

  @Test
  void aResultThatIsGoneCannotBeExported() {
    assertThat(refused(Map.of("query_id", "run-x"), 4002).message())
        .contains("There is no result 'run-x' in your namespace");
    assertThat(refused(Map.of("query_id", "../x"), 4002).message()).contains("There is no result");
  }

  @Test
  void theResultOfAnotherNamespaceIsNotSeen() {
    bed.with("run-q", queried(2)).getMetadata().setNamespace("other");

    assertThat(refused(Map.of(), 4002).message()).contains("There is no result 'run-q'");
  }

  @Test
  void aRunThatFailedOrHasNoRowsCannotBeExported() {
    bed.with("run-q", Fixtures.succeeded("printed"));
    assertThat(refused(Map.of(), 4002).message()).contains("has no rows that could be exported");

    bed.with(
        "run-q",
        Fixtures.status(
            RunPhase.Failed, RunReason.CodeError, "it raised", PayloadStarted.Yes, null));
    assertThat(refused(Map.of(), 4002).message()).contains("failed, and has no rows");

    bed.with(
        "run-q",
        Fixtures.status(RunPhase.Running, RunReason.Started, "running", PayloadStarted.Yes, null));
    assertThat(refused(Map.of(), 4002).message()).contains("has not ended");
  }

  @Test
  void anExportThatFailsHasTheCodeOfItsError() {
    bed.runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.Failed,
                    RunReason.ArtifactNotFound,
                    "Run \"run-q\" has no artifact",
                    PayloadStarted.No,
                    null)));

    Reply reply = export(Map.of());

    assertThat(reply.isError()).isTrue();
    assertThat(Objects.requireNonNull(document(reply).error()).code()).isEqualTo(4002);
    assertThat(document(reply).queryId()).startsWith("run-");
    assertThat(reply.text()).doesNotContain("query_id");
  }

  @Test
  void aValueThatIsNoExportIsNotBelieved() {
    bed.returning("{\"export\":{\"files\":[{\"path\":\"a\",\"bytes\":-1}],\"rows\":1}}");
    assertThat(export(Map.of()).text()).startsWith("ERROR 5001");

    bed.returning("{}");
    assertThat(export(Map.of()).text()).startsWith("ERROR 5001");
  }
}
