package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetFormat;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The queries that agents find in descriptions of such tools, as they are written there. */
@Everywhere
class DocumentedExamplesE2E {
  private static final double CENT = 0.005;
  private static final GeneratedSales FIRST = GeneratedSales.of(2023, 900);
  private static final GeneratedSales SECOND = GeneratedSales.of(2024, 1100);

  @BeforeEach
  void load(Assay assay) {
    assay.inlineDataset("sales_2023", DatasetFormat.CSV, FIRST.csv());
    assay.inlineDataset("sales_2024", DatasetFormat.CSV, SECOND.csv());
    assay.inlineDataset("data", DatasetFormat.CSV, SECOND.csv().replace("quantity", "orders"));
    assay.inlineDataset("points", DatasetFormat.CSV, SECOND.csv().replace("revenue", "value"));
  }

  @Test
  void aQueryOverTheFilesOfTwoYears(Assay assay) {
    JsonNode result =
        Query.sql(
                assay,
                "SELECT category, SUM(revenue) as total, COUNT(*) as orders FROM"
                    + " read_csv_auto('sales_*.csv') GROUP BY category ORDER BY total DESC",
                "/workspace/sales_2024.csv",
                "/workspace/sales_2023.csv")
            .with("engine", "duckdb")
            .with("return_limit", 20)
            .with("return_format", "json")
            .result();

    List<GeneratedSales.Total> expected =
        GeneratedSales.totals(
            Stream.concat(FIRST.orders().stream(), SECOND.orders().stream()).toList());
    assertThat(result.path("data")).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      JsonNode row = result.path("data").get(i);
      assertThat(row.path("category").asText()).isEqualTo(expected.get(i).category());
      assertThat(row.path("total").asDouble()).isCloseTo(expected.get(i).revenue(), within(CENT));
      assertThat(row.path("orders").asLong()).isEqualTo(expected.get(i).orders());
    }
    assertThat(result.path("columns").toString()).isEqualTo("[\"category\",\"total\",\"orders\"]");
    assertThat(result.path("result_type").asText()).isEqualTo("aggregation");
    assertThat(result.at("/summary/engine_used").asText()).isEqualTo("duckdb");
    assertThat(result.at("/summary/rows_processed").asInt()).isEqualTo(2000);
    assertThat(result.at("/summary/execution_time_ms").isInt()).isTrue();
    assertThat(result.path("context_tokens_used").asInt()).isPositive();
  }

  @Test
  void aWindowOverTheFilesOfTwoYears(Assay assay) {
    List<List<JsonNode>> rows =
        Query.sql(
                assay,
                """
                SELECT
                  year,
                  SUM(revenue) as total_revenue,
                  AVG(quantity) as avg_quantity,
                  LAG(SUM(revenue)) OVER (ORDER BY year) as prev_year
                FROM read_csv_auto('sales_*.csv')
                GROUP BY year
                """,
                "/workspace/sales_2023.csv",
                "/workspace/sales_2024.csv")
            .with("engine", "duckdb")
            .rows()
            .stream()
            .sorted((a, b) -> a.getFirst().asInt() - b.getFirst().asInt())
            .toList();

    assertThat(rows).hasSize(2);
    assertYear(rows.get(0), FIRST);
    assertThat(rows.get(0).get(3).isNull()).isTrue();
    assertYear(rows.get(1), SECOND);
    assertThat(rows.get(1).get(3).asDouble()).isCloseTo(FIRST.revenue(), within(CENT));
  }

  private static void assertYear(List<JsonNode> row, GeneratedSales expected) {
    assertThat(row.get(0).asInt()).isEqualTo(expected.year());
    assertThat(row.get(1).asDouble()).isCloseTo(expected.revenue(), within(CENT));
    assertThat(row.get(2).asDouble()).isCloseTo(expected.averageQuantity(), within(1e-9));
  }

  @Test
  void aChainOfPolarsInManyLines(Assay assay) {
    JsonNode result =
        Query.polars(
                assay,
                """
                  pl.scan_csv('data.csv')
                    .filter(pl.col('revenue') > 1000)
                    .group_by('category')
                    .agg([
                      pl.col('revenue').sum().alias('total_revenue'),
                      pl.col('orders').count().alias('order_count')
                    ])
                """,
                "data.csv")
            .with("engine", "polars")
            .result();

    List<GeneratedSales.Total> expected =
        GeneratedSales.totals(
            SECOND.orders().stream().filter(order -> order.revenue() > 1000).toList());
    assertThat(expected).isNotEmpty();
    assertThat(result.path("data")).hasSameSizeAs(expected);
    for (GeneratedSales.Total total : expected) {
      assertThat(result.path("data"))
          .filteredOn(row -> row.path("category").asText().equals(total.category()))
          .singleElement()
          .satisfies(
              row -> {
                assertThat(row.path("total_revenue").asDouble())
                    .isCloseTo(total.revenue(), within(CENT));
                assertThat(row.path("order_count").asLong()).isEqualTo(total.orders());
              });
    }
    assertThat(result.at("/summary/engine_used").asText()).isEqualTo("polars");
    assertThat(result.path("result_type").asText()).isEqualTo("aggregation");
  }

  @Test
  void aScriptWithScikitLearn(Assay assay) {
    JsonNode result =
        Query.python(
                assay,
                """
                import pandas as pd
                from sklearn.preprocessing import StandardScaler

                df = pd.read_csv('points.csv')
                scaler = StandardScaler()
                df['normalized'] = scaler.fit_transform(df[['value']])
                result = df.describe()
                """,
                "points.csv")
            .with("engine", "pandas")
            .result();

    double[] values = SECOND.orders().stream().mapToDouble(GeneratedSales.Order::revenue).toArray();
    int n = values.length;
    double mean = DoubleStream.of(values).sum() / n;
    double squares = DoubleStream.of(values).map(value -> (value - mean) * (value - mean)).sum();
    assertThat(result.at("/summary/engine_used").asText()).isEqualTo("pandas");
    assertThat(result.path("columns").get(0).asText()).isEqualTo("index");
    assertThat(cell(result, "count", "normalized")).isEqualTo(n);
    assertThat(cell(result, "mean", "value")).isCloseTo(mean, within(1e-6));
    assertThat(cell(result, "std", "value")).isCloseTo(Math.sqrt(squares / (n - 1)), within(1e-6));
    assertThat(cell(result, "mean", "normalized")).isCloseTo(0, within(1e-9));
    assertThat(cell(result, "std", "normalized")).isCloseTo(Math.sqrt(n / (n - 1.0)), within(1e-9));
  }

  private static double cell(JsonNode described, String statistic, String column) {
    for (JsonNode row : described.path("data")) {
      if (row.path("index").asText().equals(statistic)) {
        return row.path(column).asDouble();
      }
    }
    throw new AssertionError("no row " + statistic + " in " + described);
  }
}
