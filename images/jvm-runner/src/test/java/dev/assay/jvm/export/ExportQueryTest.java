package dev.assay.jvm.export;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.job.JobFiles.InputFile;
import dev.assay.jvm.workspace.JobWorkspace;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ExportQueryTest {
  private static final String ROWS =
      "SELECT i AS id, 'r' || i % 3 AS region, i * 1.5 AS revenue FROM range(30) t(i)";

  @TempDir Path root;
  private Session session;

  private Map<String, Object> export(String rows, String arguments) throws Exception {
    JobFiles files =
        new JobFiles(
            List.of(),
            List.of(new InputFile(1, "results/result.parquet", null, null)),
            Set.of("exports"),
            20);
    session = new TestEngine(root).withInput(1, rows).open();
    Files.deleteIfExists(file("results/result.parquet"));
    new JobWorkspace(session).prepare(files);
    Job job = new Job("builtin", "", "export", arguments, List.of()).with(files);
    return Json.object(new ExportQuery(session).run(job));
  }

  private JobFailure failure(String rows, String arguments) {
    JobFailure failure = catchThrowableOfType(JobFailure.class, () -> export(rows, arguments));
    assertThat(failure).isNotNull();
    assertThat(root.resolve("workspace/exports").toFile().list()).isNullOrEmpty();
    return failure;
  }

  @SuppressWarnings("unchecked")
  private static List<String> paths(Map<String, Object> value) {
    Map<String, Object> export = (Map<String, Object>) value.get("export");
    return ((List<Map<String, Object>>) export.get("files"))
        .stream().map(file -> String.valueOf(file.get("path"))).toList();
  }

  private Path file(String path) {
    return root.resolve("workspace").resolve(path);
  }

  private List<String> read(String query) throws Exception {
    List<String> cells = new ArrayList<>();
    try (Statement statement = session.connection().createStatement();
        ResultSet row =
            statement.executeQuery(query.replace("WORK", root.resolve("workspace").toString()))) {
      while (row.next()) {
        cells.add(row.getString(1));
      }
    }
    return cells;
  }

  @Test
  void theUsualFormatIsParquetWithSnappy() throws Exception {
    Map<String, Object> value = export(ROWS, null);

    assertThat(paths(value)).containsExactly("exports/result.parquet");
    assertThat(Files.readString(file("exports/result.parquet"), ISO_8859_1)).startsWith("PAR1");
    assertThat(
            read(
                "SELECT DISTINCT compression FROM parquet_metadata('WORK/exports/result.parquet')"))
        .containsExactly("SNAPPY");
    assertThat(value.get("export")).asInstanceOf(MAP).containsEntry("rows", 30L);
  }

  @Test
  void aCsvFileWithTextsThatASpreadsheetEvaluatesHasAWarning() throws Exception {
    String rows =
        "SELECT '=1+1' AS a, '-5.0' AS b, '-' AS c, -1 AS d, '@x' AS e, 'x=1' AS f, NULL::VARCHAR g, 1 AS \"=h\"";

    assertThat(export(rows, "{\"path\": \"exports/a.csv\", \"format\": \"csv\"}"))
        .containsEntry(
            "warnings",
            List.of(
                "'=h', 'a', 'e' have text that a spreadsheet evaluates as formulas; format=\"xlsx\" keeps"
                    + " it as text"));
    assertThat(export(rows, "{\"path\": \"exports/b.xlsx\", \"format\": \"xlsx\"}"))
        .doesNotContainKey("warnings");
    assertThat(export(ROWS, "{\"path\": \"exports/c.csv\", \"format\": \"csv\"}"))
        .doesNotContainKey("warnings");
  }

  @ParameterizedTest
  @CsvSource({
    "csv, none, out.csv",
    "csv, gzip, out.csv.gz",
    "csv, zstd, out.csv.zst",
    "json, none, out.json",
    "json, gzip, out.json.gz",
    "parquet, none, out.parquet",
    "parquet, gzip, out.parquet",
    "parquet, zstd, out.parquet"
  })
  void eachFormatIsReadBackAsTheSameRows(String format, String compression, String name)
      throws Exception {
    Map<String, Object> value =
        export(
            ROWS,
            """
            {"format": "%s", "compression": "%s", "path": "a/b/%s"}\
            """
                .formatted(format, compression, name));

    assertThat(paths(value)).containsExactly("a/b/" + name);
    assertThat(read("SELECT id || region || revenue FROM 'WORK/a/b/" + name + "'"))
        .isEqualTo(read("SELECT id || region || revenue FROM (" + ROWS + ")"));
  }

  @Test
  void gzipIsGzip() throws Exception {
    export(ROWS, "{\"format\": \"csv\", \"compression\": \"gzip\"}");

    try (InputStream text =
        new GZIPInputStream(Files.newInputStream(file("exports/result.csv.gz")))) {
      assertThat(new String(text.readAllBytes(), UTF_8))
          .startsWith("id,region,revenue\n0,r0,0.0\n");
    }
  }

  @Test
  void jsonHasTheTextsOfNumbersThatItCannotHold() throws Exception {
    export(
        "SELECT 'nan'::DOUBLE AS a, '-inf'::FLOAT AS b, 0.1::FLOAT AS c, NULL::DOUBLE AS x",
        "{\"format\": \"json\"}");

    assertThat(Files.readString(file("exports/result.json")))
        .contains("\"a\":\"NaN\",\"b\":\"-Infinity\",\"c\":0.1,\"x\":null");
  }

  @Test
  void jsonRefusesWhatItCannotHoldWithinLists() {
    assertThat(failure("SELECT ['nan'::DOUBLE] AS l", "{\"format\": \"json\"}").message())
        .contains("Column 'l' has NaN");
  }

  @Test
  void aTextThatLooksLikeNotANumberIsNoReasonToRefuse() throws Exception {
    export("SELECT {'x': 1.5::DOUBLE, 't': 'a\"NaN'} AS s", "{\"format\": \"json\"}");

    assertThat(Files.readString(file("exports/result.json"))).contains("NaN");
  }

  @Test
  void eachValueOfAPartitionIsAFile() throws Exception {
    Map<String, Object> value =
        export(
            ROWS, "{\"format\": \"csv\", \"path\": \"exports/by\", \"partitionBy\": \"Region\"}");

    assertThat(paths(value))
        .containsExactly(
            "exports/by/region=r0/part_0.csv",
            "exports/by/region=r1/part_0.csv",
            "exports/by/region=r2/part_0.csv");
    assertThat(
            read(
                "SELECT count(*) || region FROM read_csv('WORK/exports/by/*/*.csv',"
                    + " hive_partitioning => true) GROUP BY region ORDER BY region"))
        .containsExactly("10r0", "10r1", "10r2");
  }

  @Test
  void aPartitionKeepsTheExtensionOfItsCompression() throws Exception {
    Map<String, Object> value =
        export(
            ROWS, "{\"format\": \"json\", \"compression\": \"gzip\", \"partitionBy\": \"region\"}");

    assertThat(paths(value)).hasSize(3).allMatch(path -> path.endsWith(".json.gz"));
  }

  @Test
  void aPartitionOfTooManyValuesIsRefused() {
    assertThat(
            failure("SELECT i, i AS n FROM range(9000) t(i)", "{\"partitionBy\": \"n\"}").message())
        .contains("9,000 values")
        .contains("fewer than 20");
  }

  @Test
  void partitionsNeedAColumnThatIsThereAndOneThatIsLeft() {
    assertThat(failure(ROWS, "{\"partitionBy\": \"regoin\"}").suggestions())
        .containsExactly("Did you mean 'region'?");
    assertThat(failure("SELECT 1 AS a", "{\"partitionBy\": \"a\"}").message())
        .contains("two columns and more");
    assertThat(
            failure("SELECT repeat('x', 200) AS a, 1 AS b", "{\"partitionBy\": \"a\"}").message())
        .contains("too long");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"format\": \"csv\", \"compression\": \"snappy\"}",
        "{\"format\": \"xlsx\", \"partitionBy\": \"region\"}",
        "{\"format\": \"pdf\"}",
        "{\"format\": \"xlsx\", \"compression\": \"gzip\"}",
        "{\"path\": \"/etc\"}",
        "{\"path\": \"../up\"}",
        "{\"path\": \"a/../b\"}",
        "{\"path\": \"a\\u0000b\"}",
        "{\"path\": \"results/result.parquet\"}",
        "{\"path\": \"results/result.parquet/below\"}",
        "{\"path\": \"\"}",
        "{\"other\": 1}"
      })
  void argumentsThatDoNotFitAreRefused(String arguments) {
    assertThat(failure(ROWS, arguments).type()).isEqualTo("InvalidArgument");
  }

  @Test
  void aWorkbookHasTypesAndNoFormulas() throws Exception {
    export(
        """
        SELECT 1 AS n, '=1+1' AS t, DATE '2024-02-29' AS d, TIMESTAMPTZ '2024-02-29 12:00:00+01' AS z,
               true AS b, 9007199254740993 AS big, 'nan'::DOUBLE AS nan, [1, 2] AS l,
               DATE '1800-01-01' AS old, 'a' || chr(0) || 'b' AS control, NULL AS none\
        """,
        "{\"format\": \"xlsx\"}");

    try (ZipFile workbook = new ZipFile(file("exports/result.xlsx").toFile())) {
      String sheet =
          new String(
              workbook.getInputStream(workbook.getEntry("xl/worksheets/sheet1.xml")).readAllBytes(),
              UTF_8);
      assertThat(sheet)
          .contains("<v>1</v>", "=1+1", "9007199254740993", "NaN", "[1, 2]", "1800-01-01")
          // The cells of dates have their format, not only their columns.
          .containsPattern("r=\"C2\" s=\"[1-9]")
          .containsPattern("r=\"D2\" s=\"[1-9]")
          .doesNotContain("<f>", "\u0000");
    }
  }

  @Test
  void aCsvFileHasTextsAsTheyAreThoughASpreadsheetMayTakeThemForFormulas() throws Exception {
    export(
        "SELECT * FROM (VALUES (0, '=1+1'), (1, '+1'), (2, '-1'), (3, '@a')) v(n, t) ORDER BY n",
        "{\"format\": \"csv\"}");

    assertThat(file("exports/result.csv")).hasContent("n,t\n0,=1+1\n1,+1\n2,-1\n3,@a\n");
  }

  @Test
  void aWorkbookRefusesWhatACellCannotHold() {
    JobFailure failure =
        catchThrowableOfType(
            JobFailure.class,
            () -> export("SELECT repeat('x', 40000) AS t", "{\"format\": \"xlsx\"}"));

    assertThat(failure.message()).contains("Column 't'").contains("32,767");
    assertThat(file("exports/result.xlsx")).doesNotExist();
  }

  @Test
  void anInputThatIsNoResultIsRefused() throws Exception {
    session = new TestEngine(root).open();
    Files.writeString(root.resolve("inputs/1"), "no Parquet file");
    JobFiles files =
        new JobFiles(List.of(), List.of(new InputFile(1, "x", null, null)), Set.of(), 20);
    new JobWorkspace(session).prepare(files);
    Job job = new Job("builtin", "", "export", null, List.of());

    JobFailure invalid =
        catchThrowableOfType(JobFailure.class, () -> new ExportQuery(session).run(job.with(files)));
    JobFailure missing =
        catchThrowableOfType(JobFailure.class, () -> new ExportQuery(session).run(job));

    assertThat(invalid.message()).contains("is not the stored result of a query");
    assertThat(missing.message()).contains("as its only input");
  }
}
