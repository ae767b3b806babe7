package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Queries of the three engines, with answers that were computed outside. */
@Everywhere
class QueryAnswersE2E {
  @Test
  void aWindowOverAnAggregation(Assay assay) {
    assay.inlineDataset(
        "months", DatasetFormat.CSV, "month,amount\n2024-01,3\n2024-01,4\n2024-02,10\n");

    assertThat(
            Query.sql(
                    assay,
                    """
                    SELECT month, SUM(amount) AS total,
                      LAG(SUM(amount)) OVER (ORDER BY month) AS previous
                    FROM months GROUP BY month ORDER BY month
                    """,
                    "months")
                .rows()
                .toString())
        .isEqualTo("[[\"2024-01\", 7, null], [\"2024-02\", 10, 7]]");
  }

  @Test
  void aChainOfPolarsIsCollected(Assay assay) {
    Samples.sales(assay);

    JsonNode result =
        Query.polars(
                assay,
                """
                (pl.scan_csv('sales_data.csv')
                   .filter(pl.col('order_value') > 100)
                   .group_by('region').agg(pl.len().alias('orders'))
                   .sort('region'))
                """,
                "sales_data")
            .result();

    assertThat(result.at("/summary/engine_used").asText()).isEqualTo("polars");
    Map<String, Long> expected = regionsAbove(100);
    assertThat(result.path("data")).hasSize(expected.size());
    for (JsonNode row : result.path("data")) {
      assertThat(row.path("orders").asLong()).isEqualTo(expected.get(row.path("region").asText()));
    }
  }

  @Test
  void theThreeEnginesAgree(Assay assay) {
    Samples.sales(assay);
    List<List<JsonNode>> sql =
        Query.sql(
                assay,
                """
                SELECT category, count(*) AS n, sum(order_value) AS total
                FROM sales_data GROUP BY category ORDER BY category
                """,
                "sales_data")
            .rows();
    List<List<JsonNode>> polars =
        Query.polars(
                assay,
                """
                sales_data.group_by("category").agg(
                    pl.len().alias("n"), pl.col("order_value").sum().alias("total")
                ).sort("category")
                """,
                "sales_data")
            .rows();
    List<List<JsonNode>> pandas =
        Query.python(
                assay,
                """
                result = (df.groupby("category", as_index=False)
                  .agg(n=("order_value", "size"), total=("order_value", "sum"))
                  .sort_values("category"))
                """,
                "sales_data")
            .rows();

    assertThat(sql).isNotEmpty();
    assertSame(sql, polars);
    assertSame(sql, pandas);
  }

  @Test
  void aModelLeavesItsAnswerInResult(Assay assay) {
    assay.inlineDataset(
        "line_points",
        DatasetFormat.CSV,
        "x,y\n"
            + IntStream.range(0, 50)
                .mapToObj(x -> x + "," + (3 * x + 1))
                .collect(Collectors.joining("\n", "", "\n")));

    JsonNode result =
        Query.python(
                assay,
                """
                from sklearn.linear_model import LinearRegression
                model = LinearRegression().fit(df[["x"]], df["y"])
                result = {"slope": model.coef_[0], "intercept": model.intercept_}
                """,
                "line_points")
            .result();

    JsonNode row = result.path("data").get(0);
    assertThat(row.path("slope").asDouble()).isCloseTo(3, within(1e-9));
    assertThat(row.path("intercept").asDouble()).isCloseTo(1, within(1e-9));
  }

  @Test
  void parametersAreBoundAndNotPasted(Assay assay) {
    Samples.sales(assay);

    assertThat(
            Query.sql(assay, "SELECT ? AS text, ? + 1 AS n", "sales_data")
                .with("parameters", List.of("'; DROP TABLE sales_data; --", 41))
                .rows()
                .toString())
        .isEqualTo("[[\"'; DROP TABLE sales_data; --\", 42]]");
  }

  @Test
  void theSecondOfTwoEqualQueriesIsAnsweredWithoutAPod(Assay assay) {
    Samples.sales(assay);
    String query = "SELECT region, count(*) AS n FROM sales_data GROUP BY region ORDER BY region";
    JsonNode first = Query.sql(assay, query, "sales_data").with("cache_key", "twice").result();
    JsonNode second = Query.sql(assay, query, "sales_data").with("cache_key", "twice").result();

    assertThat(second.at("/summary/cache_hit").asBoolean()).isTrue();
    assertThat(second.path("data")).isEqualTo(first.path("data"));

    assay.call("analytics_cache_invalidate", Map.of("pattern", "twice"));

    assertThat(
            Query.sql(assay, query, "sales_data")
                .with("cache_key", "twice")
                .result()
                .at("/summary/cache_hit")
                .asBoolean())
        .isFalse();
  }

  private static Map<String, Long> regionsAbove(double value) {
    return Samples.text("data/sales.csv")
        .lines()
        .skip(1)
        .map(line -> line.split(",", -1))
        .filter(cells -> Double.parseDouble(cells[1]) > value)
        .collect(Collectors.groupingBy(cells -> cells[4], TreeMap::new, Collectors.counting()));
  }

  private static void assertSame(List<List<JsonNode>> expected, List<List<JsonNode>> found) {
    assertThat(found).hasSameSizeAs(expected);
    for (int row = 0; row < expected.size(); row++) {
      assertThat(found.get(row).get(0)).isEqualTo(expected.get(row).get(0));
      assertThat(found.get(row).get(1).asLong()).isEqualTo(expected.get(row).get(1).asLong());
      assertThat(found.get(row).get(2).asDouble())
          .isCloseTo(expected.get(row).get(2).asDouble(), within(1e-6));
    }
  }
}
