package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.DatasetFormat;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an analysis costs an agent in tokens of its context, counted by a tokenizer in the texts of
 * the replies. The answers are computed here as well.
 */
class TokenFiguresE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PROFILE = "analytics_profile_dataset";
  private static final String SAMPLE = "analytics_stream_sample";
  private static final double CENT = 0.005;
  private static final GeneratedSales FIRST = GeneratedSales.of(2023, 900);
  private static final GeneratedSales SECOND = GeneratedSales.of(2024, 1100);

  @TempDir private Path folder = Path.of("");

  private static void loadYears(Assay assay) {
    assay.inlineDataset("turnover_2023", DatasetFormat.CSV, FIRST.csv());
    assay.inlineDataset("turnover_2024", DatasetFormat.CSV, SECOND.csv());
  }

  @Test
  @Everywhere
  void twoYearsAreComparedInThreeHundredTokens(Assay assay) {
    loadYears(assay);
    Reply reply =
        Query.sql(
                assay,
                """
                SELECT year, SUM(revenue) AS revenue, COUNT(*) AS orders
                FROM read_csv_auto('turnover_*.csv') GROUP BY year ORDER BY year
                """,
                "/workspace/turnover_*.csv")
            .with("engine", "duckdb")
            .reply();

    assertThat(reply.tokens()).isLessThanOrEqualTo(300);
    JsonNode data = structured(reply).path("data");
    assertThat(data.get(0).path("revenue").asDouble()).isCloseTo(FIRST.revenue(), within(CENT));
    assertThat(data.get(1).path("revenue").asDouble()).isCloseTo(SECOND.revenue(), within(CENT));
  }

  @Test
  @Everywhere
  void aTableIsExploredInTwoThousandTokens(Assay assay) {
    loadYears(assay);
    Reply profile =
        assay.call(PROFILE, Map.of("file_path", "/workspace/turnover_2024.csv", "max_tokens", 250));
    Reply sample = assay.call(SAMPLE, Map.of("file_path", "turnover_2024", "seed", 1));
    Reply filtered =
        Query.sql(
                assay,
                """
                SELECT order_id, order_date, revenue FROM turnover_2024
                WHERE region = 'North' AND category = 'Toys' ORDER BY revenue DESC LIMIT 15
                """,
                "turnover_2024")
            .reply();
    Reply totals =
        Query.sql(
                assay,
                """
                SELECT category, region, SUM(revenue) AS total, COUNT(*) AS orders
                FROM turnover_2024 GROUP BY ALL ORDER BY total DESC
                """,
                "turnover_2024")
            .reply();

    List<Integer> spent =
        List.of(profile, sample, filtered, totals).stream().map(Reply::tokens).toList();
    assertThat(spent.get(0)).as("profile of 7 columns").isLessThanOrEqualTo(250);
    assertThat(spent.get(1)).as("sample of 20 rows").isLessThanOrEqualTo(800);
    assertThat(spent.get(2)).as("15 rows").isLessThanOrEqualTo(400);
    assertThat(spent.get(3)).as("20 groups").isLessThanOrEqualTo(500);
    assertThat(spent.stream().mapToInt(Integer::intValue).sum()).isLessThanOrEqualTo(1_950);
    assertThat(structured(sample).path("sample")).hasSize(20);
    assertThat(spent.get(1) / 20).as("a sampled row").isBetween(20, 100);
    assertThat(structured(filtered).at("/data/0/revenue").asDouble())
        .isCloseTo(
            SECOND.orders().stream()
                .filter(order -> order.region().equals("North") && order.category().equals("Toys"))
                .mapToDouble(GeneratedSales.Order::revenue)
                .max()
                .orElseThrow(),
            within(CENT));
    double total = 0;
    for (JsonNode row : structured(totals).path("data")) {
      total += row.path("total").asDouble();
    }
    assertThat(total).isCloseTo(SECOND.revenue(), within(CENT));
  }

  @Test
  @Everywhere
  void aWideTableIsProfiledAndAskedForItsTopTenInEightHundredTokens(Assay assay)
      throws IOException {
    StringWriter csv = new StringWriter();
    long[] totals = WideTable.write(csv, 2_000);
    assay.inlineDataset("wide_sales", DatasetFormat.CSV, csv.toString());

    assertCheap(assay, "wide_sales", 2_000, totals);
  }

  /** 10 million rows of 25 columns, half a gigabyte, without a frame. */
  @Test
  @Full
  void aLargeTableCostsNoMoreTokensThanASmallOne(Assay assay) throws IOException {
    int rows = 10_000_000;
    Path file = folder.resolve("large.csv");
    long[] totals;
    try (BufferedWriter csv = Files.newBufferedWriter(file)) {
      totals = WideTable.write(csv, rows);
    }
    HttpResponse<String> answer =
        assay
            .rest()
            .upload(
                "large_sales?format=csv&snapshotClass=snapshot-stream",
                BodyPublishers.ofFile(file));
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    assay.awaitSettled("large_sales", 600);

    assertCheap(assay, "large_sales", rows, totals);
    assay.deleteDataset("large_sales");
  }

  private static void assertCheap(Assay assay, String name, int rows, long[] totals) {
    Reply profile =
        assay.call(PROFILE, Map.of("file_path", name, "sample_size", 5000, "timeout_seconds", 300));
    Reply topTen =
        Query.sql(
                assay,
                """
                SELECT category, SUM(revenue) AS total FROM %s
                GROUP BY category ORDER BY total DESC LIMIT 10
                """
                    .formatted(name),
                name)
            .with("return_limit", 10)
            .with("timeout_seconds", 300)
            .reply();

    assertThat(profile.tokens()).isBetween(200, 400);
    assertThat(profile.tokens() + topTen.tokens()).isLessThanOrEqualTo(800);
    JsonNode described = structured(profile);
    assertThat(described.at("/statistics/row_count").asInt()).isEqualTo(rows);
    assertThat(described.at("/statistics/column_count").asInt()).isEqualTo(25);
    assertThat(described.at("/schema/columns")).hasSize(25);
    List<Map.Entry<String, Long>> expected = WideTable.largestFirst(totals).subList(0, 10);
    JsonNode data = structured(topTen).path("data");
    assertThat(data).hasSize(10);
    for (int i = 0; i < 10; i++) {
      assertThat(data.get(i).path("category").asText()).isEqualTo(expected.get(i).getKey());
      assertThat(data.get(i).path("total").asDouble())
          .isCloseTo(expected.get(i).getValue() / 100.0, within(rows * 1e-6));
    }
  }

  private static JsonNode structured(Reply reply) {
    return JSON.valueToTree(reply.structured());
  }
}
