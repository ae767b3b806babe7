package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** An analysis of the dataset {@code sales_data}: query, chart, page, export, download. */
final class ClientAnalysis {
  private final OutsideClient client;

  private ClientAnalysis(OutsideClient client) {
    this.client = client;
  }

  /** Fails where a step does not return what it should. */
  static void assertWorks(OutsideClient client) {
    new ClientAnalysis(client).run();
  }

  private void run() {
    Reply query =
        client
            .call(
                "analytics_execute_query",
                Map.of(
                    "query_type",
                    "sql",
                    "query",
                    "SELECT region, count(*) AS n FROM sales_data GROUP BY ALL ORDER BY ALL",
                    "files",
                    List.of("sales_data"),
                    "return_limit",
                    2,
                    "chart_type",
                    "bar"))
            .orFail();
    JsonNode result = query.document();
    assertThat(result.path("data")).hasSize(2);
    assertThat(result.path("total_rows").asInt()).isGreaterThan(2);
    assertThat(query.text()).contains("chart: bar, x region, y n");
    assertThat(query.images()).hasSize(1);
    assertThat(Picture.of(query.images().getFirst()).width()).isEqualTo(600);
    String figure =
        ((TextResourceContents) client.read(result.at("/visualization/data_url").asText())).text();
    assertThat(figure).contains("\"bar\"");
    String id = result.path("query_id").asText();
    String page = page(id);
    assertThat(page.lines().count()).isGreaterThanOrEqualTo(result.path("total_rows").asInt());
    assertThat(page).contains(result.at("/data/1/region").asText() + ",");
    assertExported(id, result.path("total_rows").asInt());
  }

  private String page(String id) {
    return client
        .call("get_run", Map.of("name", id, "rows", Map.of("offset", 1, "limit", 100)))
        .orFail()
        .text();
  }

  private void assertExported(String id, int rows) {
    for (String format : List.of("csv", "parquet")) {
      Reply export =
          client
              .call(
                  "analytics_export_result",
                  Map.of("query_id", id, "destination", "/workspace/exports", "format", format))
              .orFail();
      assertThat(export.document().path("row_count").asInt()).isEqualTo(rows);
      assertThat(export.files()).hasSize(1);
      assertDownloaded(export.files().getFirst(), rows);
    }
  }

  private void assertDownloaded(String link, int rows) {
    if (client.read(link) instanceof TextResourceContents text) {
      assertThat(text.text().lines()).hasSize(rows + 1).first().isEqualTo("region,n");
    } else {
      byte[] file = Base64.getDecoder().decode(((BlobResourceContents) client.read(link)).blob());
      assertThat(file).startsWith("PAR1".getBytes(UTF_8)).endsWith("PAR1".getBytes(UTF_8));
    }
  }
}
