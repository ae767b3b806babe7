package dev.assay.jvm.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import dev.assay.jvm.result.ResultFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlQueryTest {
  private static final int MAX_VALUE_BYTES = 256 * 1024;

  @TempDir Path root;
  private TestEngine engine;

  @BeforeEach
  void loadSales() throws Exception {
    engine =
        new TestEngine(root)
            .with(
                "sales-2024",
                "sales_2024",
                "SELECT i AS id, 'r' || i % 3 AS region, i * 1.5 AS revenue FROM range(30) t(i)");
  }

  private Map<String, Object> run(String code) throws Exception {
    return run(code, null);
  }

  private Map<String, Object> run(String code, String input) throws Exception {
    String value = new SqlQuery(engine.open()).run(engine.query(code, input));
    assertThat(value.getBytes(UTF_8).length).isLessThanOrEqualTo(MAX_VALUE_BYTES);
    return Json.object(value);
  }

  private JobFailure failure(String code) {
    return failure(code, null);
  }

  private JobFailure failure(String code, String input) {
    JobFailure failure = catchThrowableOfType(JobFailure.class, () -> run(code, input));
    assertThat(failure).isNotNull();
    assertThat(Json.object(failure.valueJson())).containsKey("failure");
    return failure;
  }

  private Object cell(String expression) throws Exception {
    return rows(run("SELECT " + expression)).getFirst().getFirst();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> table(Map<String, Object> value) {
    return (Map<String, Object>) value.get("table");
  }

  @SuppressWarnings("unchecked")
  private static List<List<Object>> rows(Map<String, Object> value) {
    return (List<List<Object>>) table(value).get("rows");
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> columns(Map<String, Object> value) {
    return (List<Map<String, Object>>) table(value).get("columns");
  }

  @Test
  void aQueryReturnsTypedRowsAndWhatTheEngineDid() throws Exception {
    Map<String, Object> value =
        run("SELECT region, count(*) AS n FROM sales_2024 GROUP BY region ORDER BY region");

    assertThat(columns(value))
        .containsExactly(
            Map.of("name", "region", "type", "VARCHAR"), Map.of("name", "n", "type", "BIGINT"));
    assertThat(rows(value))
        .containsExactly(List.of("r0", 10L), List.of("r1", 10L), List.of("r2", 10L));
    assertThat(table(value)).containsEntry("totalRows", 3L).containsEntry("truncated", false);
    assertThat(value)
        .containsEntry("engine", "duckdb")
        .containsEntry("rowsScanned", 30L)
        .containsEntry("aggregation", true)
        .containsEntry("cacheable", true)
        .containsEntry("warnings", List.of());
  }

  @Test
  void rowsOfTheTableAreNoAggregation() throws Exception {
    assertThat(run("SELECT * FROM sales_2024 WHERE id > 3 ORDER BY id LIMIT 2"))
        .containsEntry("aggregation", false);
  }

  @Test
  void aDatasetHasItsTableNameItsDisplayNameAndItsResourceName() throws Exception {
    engine.with("north-east", "North East.csv", "SELECT 7 AS x");
    assertThat(rows(run("SELECT x FROM North_East_csv"))).containsExactly(List.of(7L));
    assertThat(rows(run("SELECT x FROM \"North East.csv\""))).containsExactly(List.of(7L));
    assertThat(rows(run("SELECT x FROM \"north-east\""))).containsExactly(List.of(7L));
  }

  @Test
  void theLastStatementGivesTheRows() throws Exception {
    Map<String, Object> value =
        run(
            "CREATE TABLE t AS SELECT 1 AS a; -- a; b\nINSERT INTO t VALUES (';');\nFROM t;;"
                .replace("';'", "2"));
    assertThat(rows(value)).containsExactly(List.of(1L), List.of(2L));
    assertThat(value).containsEntry("cacheable", false);
  }

  @Test
  void statementsThatAreNoQueriesReturnWhatTheEngineReturns() throws Exception {
    assertThat(rows(run("CREATE TABLE t (a INTEGER)"))).isEmpty();
    assertThat(rows(run("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2)")))
        .containsExactly(List.of(2L));
    assertThat(rows(run("CALL range(3)"))).hasSize(3);
    assertThat(rows(run("EXPLAIN SELECT 1"))).isNotEmpty();
    assertThat(rows(run("DESCRIBE sales_2024"))).hasSize(3);
    assertThat(rows(run("SUMMARIZE sales_2024"))).hasSize(3);
    assertThat(rows(run("PIVOT sales_2024 ON region USING count(*)"))).isNotEmpty();
    assertThat(rows(run("WITH t AS (SELECT 1) FROM t -- end"))).hasSize(1);
    assertThat(rows(run("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1) RETURNING a")))
        .containsExactly(List.of(1L));
  }

  @Test
  void parametersAreBoundByPositionAndByName() throws Exception {
    assertThat(rows(run("SELECT ?, ? + 1", "[\"x'; DROP\", 2]")))
        .containsExactly(List.of("x'; DROP", 3L));
    assertThat(rows(run("SELECT $2, $1", "[1, null]"))).hasSize(1);
    assertThat(
            rows(
                run(
                    "SELECT id FROM sales_2024 WHERE id >= $from AND id < $to ORDER BY id",
                    "{\"to\": 6, \"from\": 4}")))
        .containsExactly(List.of(4L), List.of(5L));
    assertThat(
            rows(
                run(
                    "SELECT count(*) FROM sales_2024 WHERE id IN (SELECT unnest($ids))",
                    "{\"ids\": [1, 2, 99]}")))
        .containsExactly(List.of(2L));
  }

  @Test
  void wrongParametersAreRefused() {
    assertThat(failure("SELECT ?", "[]").code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure("SELECT $b", "{\"a\": 1}").message()).contains("'$b'").contains("'a'");
    assertThat(failure("SELECT $name", "[1]").message()).contains("'$name'");
    assertThat(failure("SELECT '{region}', $a", "{\"a\": 1, \"region\": \"x\"}").message())
        .isEqualTo(
            "Parameter 'region' is not used in the query: write $region for its value, without"
                + " quotes, or leave it out");
    assertThat(failure("SELECT ?", "[1, 2]").message()).contains("'2' is not used");
    assertThat(failure("SELECT '$a'", "{\"a\": 1}").code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure("SELECT ?", "[{}]").code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure("SELECT ?", "7").code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure("SELECT ?", "[1").code()).isEqualTo(ErrorCode.INVALID_INPUT);
  }

  @Test
  void aParameterMayBeUsedByOneStatementOfSeveral() throws Exception {
    assertThat(
            rows(
                run(
                    "CREATE TABLE t AS SELECT $a AS a; SELECT a + $b FROM t",
                    "{\"a\": 1, \"b\": 2}")))
        .containsExactly(List.of(3L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT sum(\"PRICE\") FROM prices",
        "SELECT sum(PRICE) FROM prices",
        "SELECT p.PRICE FROM prices p",
        "SELECT 1; SELECT sum(\"PRICE\") AS \"PRICE\" FROM prices"
      })
  void aColumnOfAnotherCaseIsNotAnsweredByItsTwin(String query) throws Exception {
    loadPrices();
    JobFailure failure = failure(query);
    assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_ERROR);
    assertThat(failure.message()).startsWith("Column PRICE is named PRICE_1 in SQL");
    assertThat(failure.place()).isNotNull();
    assertThat(failure.place().context()).contains("PRICE");
  }

  @Test
  void bothColumnsHaveANameOfTheirOwn() throws Exception {
    loadPrices();
    assertThat(
            rows(
                run(
                    "SELECT sum(price) AS PRICE, sum(PRICE_1), 'PRICE', count(\"select\")"
                        + " FROM prices")))
        .containsExactly(List.of(30L, 38L, "PRICE", 2L));
  }

  private void loadPrices() throws Exception {
    engine.with(
        "prices",
        "prices",
        "SELECT * FROM (VALUES (10, 14, 1, 2), (20, 24, 1, 2)) v(price, PRICE_1, \"select\","
            + " SELECT_1)",
        """
        [{"name": "price"}, {"name": "PRICE"}, {"name": "select"}, {"name": "SELECT"}]
        """,
        """
        [{"name": "price"}, {"name": "PRICE_1"}, {"name": "select"}, {"name": "SELECT_1"}]
        """);
  }

  @Test
  void aMisspeltColumnHasItsPlaceAndTheNearName() {
    JobFailure failure = failure("SELECT 'é',\n  revenu FROM sales_2024");
    assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_ERROR);
    assertThat(failure.message()).isEqualTo("Column 'revenu' not found. Did you mean 'revenue'?");
    assertThat(failure.place())
        .isEqualTo(new JobFailure.Place(2, 3, "  revenu FROM sales_2024\n  ^"));
  }

  @Test
  void theLineIsThatOfTheWholeCode() {
    JobFailure failure = failure("SELECT 1;\n\nSELECT $name + x\nFROM range(3)", "{\"name\": 1}");
    assertThat(failure.place()).isNotNull();
    assertThat(failure.place().line()).isEqualTo(3);
    assertThat(failure.place().column()).isEqualTo(16);
    assertThat(failure("SELECT 1;\n SELEC 2").place().line()).isEqualTo(2);
  }

  @Test
  void misspeltTablesAndFunctionsHaveNearNames() {
    JobFailure table = failure("FROM sales_2042");
    assertThat(table.code()).isEqualTo(ErrorCode.QUERY_ERROR);
    assertThat(table.message()).endsWith("Did you mean 'sales_2024'?");
    assertThat(table.suggestions()).containsExactly("Use 'sales_2024'");
    assertThat(failure("FROM nothing_like_it").suggestions())
        .containsExactly("Available tables: sales_2024");
    assertThat(failure("SELECT summ(1)").message()).endsWith("Did you mean 'sum'?");
  }

  @Test
  void aTableThatThereIsNoneOfIsNamedForWhoKnowsOtherDatasets() {
    assertThat(failure("FROM sales_2023").missingName()).isEqualTo("sales_2023");
    assertThat(Json.object(failure("FROM sales_2023").valueJson()).get("failure"))
        .extracting("missingName")
        .isEqualTo("sales_2023");
  }

  @Test
  void aColumnThatIsAKeywordIsToldHowToBeWritten() throws Exception {
    String columns =
        """
        [{"name": "order"}, {"name": "At"}, {"name": "name"}]
        """;
    engine.with(
        "words", "words", "SELECT 1 AS \"order\", 2 AS \"At\", 3 AS name", columns, columns);
    assertThat(failure("SELECT order FROM words").suggestions())
        .containsExactly(
            "If order is meant as the column, write \"order\": order is a keyword of SQL");
    assertThat(failure("SELECT sum(at) FROM words").suggestions())
        .containsExactly("If at is meant as the column, write \"at\": at is a keyword of SQL");
    assertThat(failure("SELECT name FROM words WHERE").suggestions()).isEmpty();
    assertThat(rows(run("SELECT \"order\", \"at\" FROM words"))).containsExactly(List.of(1L, 2L));
  }

  @Test
  void textInDoubleQuotesIsToldToStandInSingleOnes() {
    assertThat(failure("SELECT count(*) FROM sales_2024 WHERE region = \"r1's\"").suggestions())
        .contains("If it is text, write it in single quotes, 'r1''s': double quotes are for names");
    assertThat(failure("SELECT North FROM sales_2024").suggestions())
        .noneMatch(suggestion -> suggestion.contains("single quotes"));
  }

  @Test
  void aFieldOfTextIsToldToBeOfJson() throws Exception {
    engine.with("places", "places", "SELECT '{\"name\": {\"de\": \"Mühle\"}}' AS feature");
    assertThat(failure("SELECT feature.name FROM places").suggestions())
        .containsExactly("If feature is JSON as text, write feature->>'$.name'");
    String columns = "[{\"name\": \"properties\"}]";
    engine.with("geo", "geo", "SELECT '{\"name\": 1}' AS properties", columns, columns);
    assertThat(failure("SELECT features.properties.name FROM geo").suggestions())
        .containsExactly(
            "'properties' is a column, not a table: write \"properties\".FIELD, or \"properties\"->>'$.FIELD' if it"
                + " is JSON as text");
    assertThat(rows(run("SELECT feature->>'$.name.de' FROM places")))
        .containsExactly(List.of("Mühle"));
  }

  @Test
  void eachNearColumnIsSuggestedOnce() {
    assertThat(failure("SELECT revenu FROM sales_2024").suggestions())
        .containsExactly("Use 'revenue'", "Similar columns: region");
    assertThat(failure("SELECT revenu FROM (SELECT revenue FROM sales_2024)").suggestions())
        .containsExactly("Use 'revenue'");
  }

  @Test
  void aMissingFileIsAnsweredWithTheFilesAndTablesThatAreThere() throws Exception {
    Path workspace = engine.surroundings().workspace();
    JobFailure none = failure("FROM '" + workspace + "/sales_2042.csv'");
    assertThat(none.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
    assertThat(none.suggestions()).containsExactly("Available tables: sales_2024");

    Files.writeString(workspace.resolve("sales_2024.csv"), "a\n1\n");
    assertThat(failure("FROM read_csv('" + workspace + "/sales_2042.csv')").suggestions())
        .containsExactly(
            "Use 'sales_2024.csv'",
            "Available files: sales_2024.csv",
            "Available tables: sales_2024");
  }

  @Test
  void aTableThatTheEngineReadsTwiceByItselfCountsOnce() throws Exception {
    engine.with("long", "long", "SELECT range AS a, range % 7 AS b FROM range(20000)");

    assertThat(run("FROM long ORDER BY a DESC LIMIT 3")).containsEntry("rowsScanned", 20_000L);
    assertThat(run("SELECT a, avg(b) OVER (PARTITION BY b) FROM long"))
        .containsEntry("rowsScanned", 20_000L);
  }

  @Test
  void aDatasetWithoutATableHasToBeLoadedAgainIfItIsUsed() throws Exception {
    engine.withoutTable("old");
    assertThat(rows(run("SELECT count(*) FROM sales_2024"))).hasSize(1);
    JobFailure failure = failure("FROM old");
    assertThat(failure.code()).isEqualTo(ErrorCode.SCHEMA_ERROR);
    assertThat(failure.message()).contains("'old'").contains("load it again");
  }

  @Test
  void theKeysOfFoldersHaveTheTypesOfTheirDescription() throws Exception {
    engine.partitioned("places", "zip code", "02134", "SELECT 1 AS n");
    assertThat(rows(run("FROM places"))).containsExactly(List.of(1L, "02134"));
  }

  @Test
  void aDatasetOfAnEmptySourceIsSaidToHaveNoColumns() throws Exception {
    engine.withoutColumns("empty");
    JobFailure failure = failure("FROM empty");
    assertThat(failure.code()).isEqualTo(ErrorCode.SCHEMA_ERROR);
    assertThat(failure.message()).startsWith("Dataset 'empty' has no columns");
  }

  @Test
  void otherFilesSettingsAndExtensionsAreRefused() throws Exception {
    Files.writeString(root.resolve("secret.txt"), "secret");
    Files.createSymbolicLink(
        root.resolve("workspace/link.txt"), root.resolve("secret.txt").toAbsolutePath());
    for (String file :
        List.of(
            root.resolve("secret.txt").toString(),
            root.resolve("workspace/link.txt").toString(),
            root.resolve("workspace/../secret.txt").toString(),
            "/etc/passwd",
            "https://127.0.0.1:1/x.csv")) {
      JobFailure failure = failure("FROM read_text('" + file + "')");
      assertThat(failure.code()).describedAs(file).isEqualTo(ErrorCode.INVALID_INPUT);
    }
    assertThat(failure("ATTACH '" + root.resolve("x.db") + "'").code())
        .isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure("SET threads = 64").message()).contains("cannot be changed");
    assertThat(failure("SET enable_external_access = true").code())
        .isEqualTo(ErrorCode.QUERY_ERROR);
    assertThat(failure("INSTALL httpfs").message()).contains("cannot be installed");
    assertThat(failure("LOAD httpfs").message()).contains("cannot be installed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO opened VALUES (1)",
        "UPDATE opened SET a = 1",
        "DELETE FROM opened",
        "TRUNCATE opened",
        "ALTER TABLE opened ADD COLUMN b INT",
        "CREATE INDEX i ON opened(a)",
        "COPY opened FROM 'x.csv'",
        "MERGE INTO opened USING opened AS s ON opened.a = s.a WHEN MATCHED THEN DELETE"
      })
  void aDatasetIsNotChanged(String statement) throws Exception {
    engine.with("opened", "opened", "SELECT 7 AS a");

    assertThat(failure(statement).message())
        .isEqualTo(
            "Datasets and views cannot be changed: copy one with CREATE TABLE name AS FROM dataset,"
                + " and change the copy");
  }

  @Test
  void ofSeveralStatementsTheOneThatFailedIsShown() throws Exception {
    JobFailure failure = failure("SELECT 1;\n\n  SELECT error('boom');\nSELECT 2");

    assertThat(failure.message()).isEqualTo("boom");
    assertThat(failure.place())
        .isEqualTo(Place.of("SELECT 1;\n\n  SELECT error('boom');\nSELECT 2", 13));
  }

  @Test
  void aDatasetMayBeLinksToFilesThatAnotherProcessHasOpen() throws Exception {
    engine.with("opened", "opened", "SELECT 7 AS a");
    Path dataset = root.resolve("datasets/opened");
    Path snapshot = root.resolve("snapshot").toAbsolutePath();
    Files.move(dataset, snapshot);
    Files.createDirectory(dataset);
    for (String file : List.of("description.json", "frame.parquet")) {
      Files.createSymbolicLink(dataset.resolve(file), Path.of("/proc/self/root" + snapshot, file));
    }
    Files.writeString(root.resolve("secret.txt"), "secret");
    assertThat(rows(run("FROM opened"))).containsExactly(List.of(7L));
    assertThat(failure("FROM read_text('" + root.resolve("secret.txt") + "')").code())
        .isEqualTo(ErrorCode.INVALID_INPUT);
  }

  @Test
  void filesOfTheWorkspaceAreRead() throws Exception {
    Files.writeString(root.resolve("datasets/sales-2024/source.csv"), "a,b\n1,x\n");
    Files.createSymbolicLink(
        root.resolve("workspace/sales_2024.csv"),
        root.resolve("datasets/sales-2024/source.csv").toAbsolutePath());
    String file = root.resolve("workspace/sales_*.csv").toString();
    assertThat(rows(run("SELECT * FROM read_csv_auto('" + file + "')")))
        .containsExactly(List.of(1L, "x"));
    assertThat(failure("FROM '" + root.resolve("workspace/none.csv") + "'").code())
        .isEqualTo(ErrorCode.FILE_NOT_FOUND);
  }

  @Test
  void valuesThatJsonDoesNotHoldAreTextOrNull() throws Exception {
    assertThat(cell("9007199254740993")).isEqualTo("9007199254740993");
    assertThat(cell("42::HUGEINT")).isEqualTo(42L);
    assertThat(cell("170141183460469231731687303715884105727")).isInstanceOf(String.class);
    assertThat(cell("1.10::DECIMAL(10,2)").toString()).isEqualTo("1.10");
    assertThat(cell("0.1234567890123456789012::DECIMAL(30,22)")).isInstanceOf(String.class);
    assertThat(cell("'NaN'::DOUBLE")).isEqualTo("NaN");
    assertThat(cell("'inf'::DOUBLE")).isEqualTo("Infinity");
    assertThat(cell("'-inf'::FLOAT")).isEqualTo("-Infinity");
    assertThat(cell("0.1::FLOAT").toString()).isEqualTo("0.1");
    assertThat(cell("DATE '2024-02-29'")).isEqualTo("2024-02-29");
    assertThat(cell("TIMESTAMP '2024-02-29 01:02:03.5'")).isEqualTo("2024-02-29T01:02:03.5");
    assertThat(cell("TIMESTAMPTZ '2024-02-29 01:02:03+01'")).isEqualTo("2024-02-29T00:02:03+00:00");
    assertThat(cell("'infinity'::TIMESTAMP")).isEqualTo("infinity");
    assertThat(cell("TIME '01:02:03'")).isEqualTo("01:02:03");
    assertThat(cell("'\\xFFa'::BLOB")).isEqualTo("\\xFFa");
    assertThat(cell("'a' || chr(0)")).isEqualTo("a\0");
    assertThat(cell("INTERVAL 3 DAY")).isEqualTo("3 days");
    assertThat(cell("NULL")).isNull();
    assertThat(cell("true")).isEqualTo(true);
  }

  @Test
  void anInfinityIsTheLargestValueAndNotOfTheMean() throws Exception {
    Map<String, Object> value =
        run("SELECT unnest(['1.5', 'inf', '-inf', '2.5', NULL]::DOUBLE[]) AS x");
    assertThat(value.get("summary").toString())
        .contains("type=DOUBLE, nulls=1, distinct=4, min=-Infinity, max=Infinity, mean=2.0");
  }

  @Test
  void nestedValuesAreArraysAndObjects() throws Exception {
    assertThat(cell("[1, NULL, 3]")).asString().isEqualTo("[1, null, 3]");
    assertThat(cell("{'a': [{'d': DATE '2024-01-01'}], 'n': 'NaN'::DOUBLE}"))
        .asString()
        .isEqualTo("{a=[{d=2024-01-01}], n=NaN}");
    assertThat(cell("MAP {'z': 1, 'a': 2}")).asString().isEqualTo("{z=1, a=2}");
    assertThat(cell("MAP {[1]: TIMESTAMP '2024-01-01'}"))
        .asString()
        .startsWith("{[1]=2024-01-01T00:00");
    assertThat(cell("ROW(1, 'x')")).asString().contains("x");
    assertThat(cell("[9007199254740993]")).isEqualTo(List.of("9007199254740993"));
    assertThat(cell("{'a': 1}::VARIANT")).asString().isEqualTo("{a=1}");
    assertThat(cell("['\\xFF'::BLOB]")).isEqualTo(List.of("\\xFF"));
  }

  @Tag("slow")
  @Test
  void enormousCellsAreShortened() throws Exception {
    Map<String, Object> value =
        run("SELECT 1 AS id, repeat('é', 25000000) AS text, range(1000000) AS list");
    List<Object> row = rows(value).getFirst();
    assertThat((String) row.get(1)).endsWith("…").hasSizeLessThan(4096);
    assertThat((String) row.get(2)).startsWith("[0, 1").endsWith("…");
    assertThat(value.get("warnings").toString()).contains("text, list");
  }

  @Tag("slow")
  @Test
  void aWideResultIsBounded() throws Exception {
    String columns =
        IntStream.range(0, 5000)
            .mapToObj(i -> "repeat('x', 3000) AS c" + i)
            .collect(Collectors.joining(", "));
    Map<String, Object> value = run("SELECT " + columns);
    assertThat(columns(value)).hasSizeBetween(100, 5000);
    assertThat(value.get("warnings").toString()).contains("5,000 columns");
    assertThat(value).doesNotContainKey("summary");
  }

  @Test
  void columnNamesThatAreTwinsAreToldApart() throws Exception {
    Map<String, Object> value =
        run("SELECT 1 AS a, 2 AS a, 3 AS \"A\", 4 AS \" \", 5 AS \"q\"\"q\"");
    assertThat(columns(value).stream().map(column -> column.get("name")).distinct()).hasSize(5);
    assertThat(rows(value)).containsExactly(List.of(1L, 2L, 3L, 4L, 5L));
  }

  @Test
  void theTrueTotalOfACutResultIsCounted() throws Exception {
    Map<String, Object> value = run("SELECT range AS n FROM range(1234567)");
    assertThat(table(value)).containsEntry("totalRows", 1234567L).containsEntry("truncated", true);
    assertThat(rows(value)).hasSize(1000).contains(List.of(0L), List.of(999L));
    assertThat(value.get("warnings").toString())
        .contains("1,234,567")
        .contains(
            "first 10,000 are kept: aggregate, or write all rows to a file with COPY (SELECT ...) TO");
    assertThat(value.get("summary").toString()).contains("max=1234566");
  }

  @Test
  void rowsAreCountedUpToTheLimitAndBeyondIt() throws Exception {
    int limit = SqlQuery.MAX_MATERIALIZED_ROWS;
    for (int rows : List.of(0, 1, limit, limit + 1)) {
      Map<String, Object> value = run("SELECT range AS n FROM range(" + rows + ")");
      assertThat(table(value)).containsEntry("totalRows", (long) rows);
    }
  }

  @Test
  void aWarningSaysThatNotAllRowsAreKept() throws Exception {
    for (int rows : List.of(ResultFiles.MAX_ROWS, ResultFiles.MAX_ROWS + 1)) {
      Map<String, Object> value = run("SELECT range AS n FROM range(" + rows + ")");
      assertThat((List<?>) value.get("warnings")).hasSize(rows > ResultFiles.MAX_ROWS ? 1 : 0);
    }
  }

  @Test
  void columnsAreSummarized() throws Exception {
    Map<String, Object> value =
        run("FROM (VALUES (1, 'a', true), (3, NULL, false), (3, 'b', NULL)) t(n, t, f)");
    assertThat(value.get("summary").toString())
        .isEqualTo(
            "[{name=n, type=INTEGER, nulls=0, distinct=2, min=1, max=3, mean=2.3333333333333335},"
                + " {name=t, type=VARCHAR, nulls=1, distinct=2, min=a, max=b, mean=null},"
                + " {name=f, type=BOOLEAN, nulls=1, distinct=2, min=false, max=true, mean=null}]");
  }

  @Test
  void anythingCanBeSummarized() throws Exception {
    Map<String, Object> value =
        run(
            "SELECT [i] l, {'a': i} s, MAP {i: i} m, (i || '')::BLOB b, NULL n, 'NaN'::DOUBLE d,"
                + " i::HUGEINT h, i::DECIMAL(5,1) c, DATE '2024-01-01' + i::INT t, uuid() u,"
                + " INTERVAL (i) DAY v, i::VARCHAR::BIT z, {'a': i}::VARIANT w, i::FLOAT f"
                + " FROM range(2) t(i)");
    assertThat((List<?>) value.get("summary")).hasSize(14);
  }

  @Test
  void whatChangesByItselfIsNotCacheable() throws Exception {
    assertThat(run("SELECT random()")).containsEntry("cacheable", false);
    assertThat(run("SELECT \"now\"()")).containsEntry("cacheable", false);
    assertThat(run("SELECT current_date")).containsEntry("cacheable", false);
    assertThat(run("FROM sales_2024 USING SAMPLE 3")).containsEntry("cacheable", false);
    assertThat(run("SELECT 'random()' AS now, id FROM sales_2024 -- uuid()"))
        .containsEntry("cacheable", true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FROM 'https://example.com/a.parquet'",
        "FROM read_csv('s3://bucket/a.csv')",
        "FROM read_text('https://example.com/a.txt')",
        "COPY (SELECT 1) TO 'az://bucket/a.csv'",
        "ATTACH 'https://example.com/a.db'",
      })
  void aUrlIsRefusedWithTheAdviceToLoadADataset(String code) {
    JobFailure failure = failure(code);
    assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_INPUT);
    assertThat(failure.message())
        .startsWith("Cannot access file \"")
        .endsWith("\": a run has no network; load the file as a dataset, and query that")
        .contains("://");
  }

  @Test
  void errorsOfEveryKindHaveACode() {
    assertThat(failure(" -- nothing\n;").code()).isEqualTo(ErrorCode.INVALID_INPUT);
    for (String code :
        List.of(
            "SELECT CAST('x' AS INTEGER)",
            "SELECT 1) UNION (SELECT 2",
            "SELECT (",
            "SELECT 'open",
            "SELECT 1; SELEC 2; SELECT 3",
            "SELECT 9223372036854775807::BIGINT + 1",
            "SELECT error('mine')",
            "sales_2024",
            "SELECT \"\"",
            "x".repeat(262_144))) {
      JobFailure failure = failure(code);
      assertThat(failure.code()).describedAs(code).isEqualTo(ErrorCode.QUERY_ERROR);
      assertThat(failure.message()).isNotBlank().hasSizeLessThan(2000);
    }
  }

  @Test
  void aQueryThatNeedsTooMuchMemoryFailsWithAdvice() {
    engine.limitedTo(64L << 20, 8L << 20);
    assertThat(failure("SELECT list(range) FROM range(100000000)").code())
        .isEqualTo(ErrorCode.MEMORY_ERROR);
    JobFailure disk =
        failure("SELECT md5(range::VARCHAR) m FROM range(3000000) ORDER BY m OFFSET 2999999");
    assertThat(disk.code()).isEqualTo(ErrorCode.MEMORY_ERROR);
    assertThat(disk.message()).contains("scratch").doesNotContain("SET ");
  }

  @Tag("slow")
  @Test
  void aLargeSortSpillsToScratch() throws Exception {
    engine.limitedTo(64L << 20, 2L << 30);
    assertThat(
            rows(run("SELECT md5(range::VARCHAR) m FROM range(2000000) ORDER BY m OFFSET 1999999")))
        .hasSize(1);
  }

  @Test
  void aQueryWithoutAnEndIsInterrupted() throws Exception {
    Session session = engine.open();
    Thread stopping =
        Thread.startVirtualThread(
            () -> {
              try {
                session.cancellation().request();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    String code = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b";
    JobFailure failure =
        catchThrowableOfType(
            JobFailure.class, () -> new SqlQuery(session).run(engine.query(code, null)));
    assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
    session.cancellation().end();
    stopping.join();
    assertThat(session.cancellation().isRequested()).isTrue();
  }
}
