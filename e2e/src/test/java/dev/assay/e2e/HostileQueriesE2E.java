package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Queries that try to leave their Pod, take too much, or break what reads their result. */
@Everywhere
@Warm
class HostileQueriesE2E {
  private static final int INVALID_INPUT = 4001;
  private static final int QUERY_ERROR = 4004;
  private static final int MEMORY_ERROR = 5002;
  private static final int TIMEOUT = 5003;

  @BeforeEach
  void load(Assay assay) {
    Samples.sales(assay);
  }

  static Stream<String> probes() {
    return SecurityPage.queryProbes().keySet().stream();
  }

  /** The probes of docs/security.md. */
  @ParameterizedTest
  @MethodSource("probes")
  void whatAQueryMayNotTouchIsRefused(String probe, Assay assay) {
    for (String statement : SecurityPage.queryProbes().get(probe)) {
      JsonNode error = sql(assay, statement, "sales_data").error();

      assertThat(error.path("code").asInt())
          .as("%s: %s", statement, error)
          .isIn(INVALID_INPUT, QUERY_ERROR);
      assertThat(error.path("message").asText()).isNotBlank().doesNotContain("dev.assay", "java.");
    }
  }

  @Test
  void aSourceIsAsItWasAfterACopyOverItsLink(Assay assay) {
    String count = "SELECT count(*) AS n FROM sales_data";
    long before = sql(assay, count, "sales_data").rows().getFirst().getFirst().asLong();

    sql(assay, "COPY (SELECT 1) TO '/workspace/sales_data.csv'", "sales_data").reply();

    assertThat(
            sql(assay, "SELECT count(*) AS m FROM sales_data", "sales_data")
                .rows()
                .getFirst()
                .getFirst()
                .asLong())
        .isEqualTo(before);
  }

  @Test
  void ofTwoStatementsTheBrokenOneIsNamed(Assay assay) {
    JsonNode error = sql(assay, "SELECT 1;\nSELEKT 2", "sales_data").error();

    assertThat(error.path("code").asInt()).isEqualTo(QUERY_ERROR);
    assertThat(error.toString()).contains("SELEKT");
  }

  @Test
  void aCrossJoinWithoutEndTimesOut(Assay assay) {
    JsonNode error =
        sql(
                assay,
                "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range % 7 ="
                    + " b.range % 5",
                "sales_data")
            .with("timeout_seconds", 2)
            .error();

    assertThat(error.path("code").asInt()).as(error.toString()).isEqualTo(TIMEOUT);
  }

  @Test
  void aHundredMillionRowsAreCountedAndNotReturned(Assay assay) {
    JsonNode result = sql(assay, "SELECT range AS i FROM range(100000000)", "sales_data").result();

    assertThat(result.path("total_rows").asLong()).isEqualTo(100_000_000L);
    assertThat(result.path("truncated").asBoolean()).isTrue();
    assertThat(result.path("data").size()).isLessThanOrEqualTo(100);
  }

  @Test
  void aCellOfFiftyMegabytesIsShortened(Assay assay) {
    Reply reply =
        sql(assay, "SELECT repeat('x', 50000000) AS big, 7 AS small", "sales_data").reply();

    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text()).hasSizeLessThan(20_000).contains("7");
  }

  @Test
  void fiveThousandColumnsAreAnswered(Assay assay) {
    StringBuilder query = new StringBuilder("SELECT 0 AS c0");
    for (int i = 1; i < 5000; i++) {
      query.append(", ").append(i).append(" AS c").append(i);
    }

    Reply reply = sql(assay, query.toString(), "sales_data").reply();

    assertThat(reply.text()).hasSizeLessThan(100_000);
    assertThat(reply.isError()).as(reply.text()).isFalse();
  }

  @Test
  void columnsThatShareANameAreAllThere(Assay assay) {
    JsonNode result =
        sql(assay, "SELECT 1 AS a, 2 AS a, 3 AS \"A\", 5 AS \"x\"\"y\"", "sales_data").result();

    assertThat(result.path("columns")).hasSize(4);
    assertThat(result.path("columns")).doesNotHaveDuplicates();
  }

  @Test
  void valuesThatJsonDoesNotHaveAreText(Assay assay) {
    List<JsonNode> row =
        sql(
                assay,
                """
                SELECT 'NaN'::DOUBLE AS nan, 'inf'::DOUBLE AS inf, 9007199254740993 AS big,
                  170141183460469231731687303715884105727::HUGEINT AS huge,
                  '\\x00\\xFF'::BLOB AS bytes, DATE '2024-02-29' AS day, [1, NULL] AS list,
                  {'a': 1} AS struct, MAP {'k': 2} AS map
                """,
                "sales_data")
            .rows()
            .getFirst();

    assertThat(row.get(0).asText()).isEqualTo("NaN");
    assertThat(row.get(1).asText()).isEqualTo("Infinity");
    assertThat(row.get(2).asText()).isEqualTo("9007199254740993");
    assertThat(row.get(3).asText()).isEqualTo("170141183460469231731687303715884105727");
    assertThat(row.get(4).asText()).contains("x00").contains("xFF");
    assertThat(row.get(5).asText()).isEqualTo("2024-02-29");
    assertThat(row.get(6).toString()).isEqualTo("[1,null]");
    assertThat(row.get(7).toString()).isEqualTo("{\"a\":1}");
    assertThat(row.get(8).toString()).isEqualTo("{\"k\":2}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          import math; result = math                 | 4004
          result = (i for i in range(3))             | 4004
          result = print                             | 4004
          import os; os._exit(3)                     | 5001
          raise ValueError('no')                     | 4004
          """)
  void aResultThatIsNoTableSaysSo(String code, int expected, Assay assay) {
    JsonNode error = python(assay, code, "sales_data").error();

    assertThat(error.path("code").asInt()).as(error.toString()).isEqualTo(expected);
  }

  @Test
  void aColumnThatIsMisspeltIsSuggestedByEachEngine(Assay assay) {
    for (Query query :
        List.of(
            sql(assay, "SELECT custmer_id FROM sales_data", "sales_data"),
            polars(assay, "sales_data.select('custmer_id')", "sales_data"),
            python(assay, "result = df['custmer_id'].sum()", "sales_data"))) {
      JsonNode error = query.error();
      assertThat(error.path("code").asInt()).as(error.toString()).isEqualTo(QUERY_ERROR);
      assertThat(error.toString()).contains("customer_id");
    }
  }

  @Test
  void moreMemoryThanTheClassHasIsAMemoryError(Assay assay) {
    JsonNode error =
        sql(assay, "SELECT list(range) AS l FROM range(2000000000)", "sales_data")
            .with("timeout_seconds", 60)
            .error();

    assertThat(error.path("code").asInt()).as(error.toString()).isIn(MEMORY_ERROR, TIMEOUT);
  }

  @Test
  void anEmptyQueryIsRefusedBeforeThereIsAPod(Assay assay) {
    assertThat(sql(assay, " ", "sales_data").error().path("code").asInt()).isEqualTo(INVALID_INPUT);
  }

  private static Query sql(Assay assay, String query, String... files) {
    return Query.sql(assay, query, files).warm();
  }

  private static Query polars(Assay assay, String query, String... files) {
    return Query.polars(assay, query, files).warm();
  }

  private static Query python(Assay assay, String query, String... files) {
    return Query.python(assay, query, files).warm();
  }
}
