package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Profiles, queries on three engines, samples and their errors, through the endpoint. */
@Everywhere
class AnalyticsToolsE2E {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String QUERY = "analytics_execute_query";
  private static final String SAMPLE = "analytics_stream_sample";

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void aProfileDescribesEachColumn(Assay assay) {
    Reply reply =
        assay.call("analytics_profile_dataset", Map.of("file_path", "/workspace/sales_data.csv"));

    JsonNode profile = structured(reply);
    assertThat(profile.at("/statistics/row_count").asInt()).isEqualTo(150);
    assertThat(profile.at("/schema/columns"))
        .extracting(column -> column.get("name").asString())
        .containsExactly("customer_id", "order_value", "order_date", "category", "region");
    assertThat(profile.get("context_tokens_used").asInt()).isLessThanOrEqualTo(400);
    assertThat(reply.text()).startsWith("sales_data: 150 rows x 5 columns");
  }

  @Test
  void threeEnginesGiveTheSameRows(Assay assay) {
    JsonNode sql =
        query(
            assay,
            "sql",
            "SELECT region, count(*) AS n FROM sales_data GROUP BY region ORDER BY region");
    JsonNode polars =
        query(
            assay,
            "polars_expr",
            "sales_data.group_by('region').agg(pl.len().alias('n')).sort('region')");
    JsonNode python =
        query(
            assay,
            "python",
            "df.groupby('region').size().rename('n').reset_index().sort_values('region')");

    assertThat(sql.get("data").size()).isGreaterThan(1);
    assertThat(polars.get("data")).isEqualTo(sql.get("data"));
    assertThat(python.get("data")).isEqualTo(sql.get("data"));
    assertThat(List.of(sql, polars, python))
        .extracting(result -> result.at("/summary/engine_used").asString())
        .containsExactly("duckdb", "polars", "pandas");
    assertThat(sql.get("result_type").asString()).isEqualTo("aggregation");
  }

  @Test
  void theFileOfADatasetIsReadByItsPathAndByAPattern(Assay assay) {
    for (String file : List.of("/workspace/sales_data.csv", "sales_d*.csv")) {
      assertThat(
              query(assay, "sql", "SELECT count(*) AS n FROM read_csv_auto('" + file + "')")
                  .at("/data/0/n")
                  .asInt())
          .as(file)
          .isEqualTo(150);
    }
  }

  @Test
  void parametersAreBoundByTheEngine(Assay assay) {
    JsonNode result =
        structured(
            assay.call(
                QUERY,
                Map.of(
                    "query_type",
                    "sql",
                    "query",
                    "SELECT $name AS name, $n + 1 AS n",
                    "parameters",
                    Map.of("name", "O'Brien", "n", 41),
                    "files",
                    List.of())));

    assertThat(result.at("/data/0/name").asString()).isEqualTo("O'Brien");
    assertThat(result.at("/data/0/n").asInt()).isEqualTo(42);
  }

  @Test
  void theSameQueryIsAnsweredFromTheCacheUntilItIsForgotten(Assay assay) {
    Map<String, Object> call =
        Map.of(
            "query_type", "sql",
            "query", "SELECT max(order_value) AS most FROM sales_data",
            "files", List.of("sales_data"),
            "cache_key", "e2e_most");
    JsonNode first = structured(assay.call(QUERY, call));
    JsonNode again = structured(assay.call(QUERY, call));

    assertThat(again.at("/summary/cache_hit").asBoolean()).isTrue();
    assertThat(again.get("query_id")).isEqualTo(first.get("query_id"));
    assertThat(again.get("data")).isEqualTo(first.get("data"));
    JsonNode removed =
        structured(assay.call("analytics_cache_invalidate", Map.of("pattern", "e2e_*")));
    assertThat(removed.get("keys_removed")).hasToString("[\"e2e_most\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"head", "random", "systematic"})
  void aSampleHasTheRowsThatWereAskedFor(String strategy, Assay assay) {
    Map<String, Object> call =
        new HashMap<>(
            Map.of(
                "file_path",
                "sales_data",
                "strategy",
                strategy,
                "sample_size",
                5,
                "columns",
                List.of("region", "order_value")));
    if (strategy.equals("random")) {
      call.put("seed", 7);
    }
    JsonNode sample = structured(assay.call(SAMPLE, call));

    assertThat(sample.get("sample").size()).isEqualTo(5);
    assertThat(sample.at("/sample/0").propertyNames()).containsExactly("region", "order_value");
    assertThat(sample.at("/sampling_info/total_rows").asInt()).isEqualTo(150);
    assertThat(structured(assay.call(SAMPLE, call)).get("sample")).isEqualTo(sample.get("sample"));
  }

  @Test
  void aStratifiedSampleHasEachValue(Assay assay) {
    JsonNode sample =
        structured(
            assay.call(
                SAMPLE,
                Map.of(
                    "file_path", "sales_data",
                    "strategy", "stratified",
                    "stratify_column", "category",
                    "sample_size", 15)));

    JsonNode categories =
        query(assay, "sql", "SELECT DISTINCT category AS c FROM sales_data ORDER BY c").get("data");
    assertThat(sample.get("sample"))
        .extracting(row -> row.get("category").asString())
        .containsAll(categories.valueStream().map(row -> row.get("c").asString()).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT order_valeu FROM sales_data|4004|order_value",
        "SELECT * FROM sales_dat|4004|sales_data",
        "SELEC 1|4004|SELEC",
        "INSTALL httpfs|4004|",
      })
  void anErrorHasACodeAndHelps(String sql, int code, String hint, Assay assay) {
    Reply reply =
        assay.call(
            QUERY, Map.of("query_type", "sql", "query", sql, "files", List.of("sales_data")));

    JsonNode error = error(reply, code);
    assertThat(reply.text()).contains(hint == null ? "" : hint).doesNotContain("\tat ", "/opt/");
    assertThat(error.get("suggestions").size()).isPositive();
  }

  @Test
  void aQueryThatIsNotWaitedForNamesItsRunWhichShowsItsRows(Assay assay) {
    Map<String, Object> call =
        Map.of(
            "query_type",
            "sql",
            "query",
            "SELECT region, 7 * 6 AS answer FROM sales_data ORDER BY ALL LIMIT 2",
            "files",
            List.of("sales_data"),
            "wait_seconds",
            0);
    Reply reply = assay.call(QUERY, call);

    JsonNode continues = structured(reply);
    assertThat(continues.get("result_type").asString()).isEqualTo("in_progress");
    String name = continues.get("query_id").asString();
    assertThat(reply.text())
        .startsWith("The run " + name + " continues: ")
        .isEqualTo(continues.get("message").asString());
    JsonNode run =
        structured(
            assay.call(
                "get_run", Map.of("name", name, "wait_seconds", 60, "rows", Map.of("offset", 0))));
    assertThat(run.get("phase").asString()).isEqualTo("Succeeded");
    assertThat(run.at("/rows/columns")).hasToString("[\"region\",\"answer\"]");
    assertThat(run.at("/rows/rows").size()).isEqualTo(2);
    assertThat(run.at("/rows/rows/0/1").asInt()).isEqualTo(42);
    assertThat(structured(assay.call(QUERY, call)).get("query_id").asString()).isEqualTo(name);
  }

  @Test
  void aProfileThatIsNotWaitedForIsInTheCacheOnceItHasEnded(Assay assay) {
    Map<String, Object> call =
        Map.of("file_path", "sales_data", "max_categories", 7, "wait_seconds", 0);
    JsonNode continues = structured(assay.call("analytics_profile_dataset", call));
    assertThat(continues.get("result_type").asString()).isEqualTo("in_progress");

    String name = continues.get("query_id").asString();
    assertThat(assay.call("get_run", Map.of("name", name, "wait_seconds", 60)).text())
        .contains("Succeeded");
    JsonNode profile = structured(assay.call("analytics_profile_dataset", call));
    assertThat(profile.get("query_id").asString()).isEqualTo(name);
    assertThat(profile.at("/statistics/row_count").asInt()).isEqualTo(150);
  }

  @Test
  void aQueryWithoutEndIsATimeout(Assay assay) {
    error(
        assay.call(
            QUERY,
            Map.of(
                "query_type",
                "sql",
                "query",
                "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c",
                "files",
                List.of(),
                "timeout_seconds",
                2)),
        5003);
  }

  @ParameterizedTest
  @CsvSource({
    "files, /etc/passwd, 4001",
    "files, ../x.csv, 4001",
    "files, no_such_table, 4002",
    "engine, polars, 4001",
    "return_format, table, 4001",
    "chart_type, pie, 4001",
    "run_class, no-such-class, 4001",
  })
  void aBadArgumentHasACode(String name, String value, int code, Assay assay) {
    Map<String, Object> call =
        new HashMap<>(
            Map.of("query_type", "sql", "query", "SELECT 1", "files", List.of("sales_data")));
    call.put(name, name.equals("files") ? List.of(value) : value);

    error(assay.call(QUERY, call), code);
  }

  private static JsonNode query(Assay assay, String type, String query) {
    return structured(
        assay.call(
            QUERY, Map.of("query_type", type, "query", query, "files", List.of("sales_data"))));
  }

  private static JsonNode structured(Reply reply) {
    assertThat(reply.isError()).as(reply.text()).isFalse();
    return JSON.valueToTree(Objects.requireNonNull(reply.structured()));
  }

  private static JsonNode error(Reply reply, int code) {
    assertThat(reply.isError()).as(reply.text()).isTrue();
    assertThat(reply.text()).startsWith("ERROR " + code + " ");
    JsonNode structured = JSON.valueToTree(Objects.requireNonNull(reply.structured()));
    assertThat(structured.get("result_type").asString()).isEqualTo("error");
    assertThat(structured.at("/error/code").asInt()).isEqualTo(code);
    return structured.get("error");
  }
}
