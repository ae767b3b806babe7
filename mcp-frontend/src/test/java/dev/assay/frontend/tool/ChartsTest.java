package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.ChartSpec;
import dev.assay.api.v1alpha1.ChartType;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.QueryDocument;
import dev.assay.frontend.analytics.Visualization;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.token.TokenEstimate;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** Charts in the replies of {@code execute_query}. */
class ChartsTest {
  private static final String VALUE =
      """
      {"table":{"columns":[{"name":"carrier","type":"VARCHAR"},{"name":"delay","type":"DOUBLE"}],
        "rows":[["UA",3.5],["B6",9.4]],"totalRows":2},"engine":"duckdb","engineMs":12 %s}""";
  private static final String CHART =
      """
      ,"chart":{"type":"bar","x":"carrier","y":"delay","points":2,"note":"sorted by delay"}""";

  private final AnalyticsTestBed bed = new AnalyticsTestBed();

  private static byte[] png() throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    ImageIO.write(new BufferedImage(600, 360, BufferedImage.TYPE_INT_RGB), "png", file);
    return file.toByteArray();
  }

  /** The files of a run are stored when it is known. */
  private void drawn(byte[] png) {
    byte[] figure = "{\"data\":[]}".getBytes(UTF_8);
    bed.runs.operator(
        (fake, run) -> {
          String name = run.getMetadata().getName();
          fake.status(
              run,
              Fixtures.returned(VALUE.formatted(CHART))
                  .withArtifacts(
                      List.of(
                          bed.stored(
                              name, 1, "results/rows.ndjson", new byte[0], "application/x-ndjson"),
                          bed.stored(name, 2, "charts/chart.png", png, "image/png"),
                          bed.stored(
                              name, 3, "charts/chart.plotly.json", figure, "application/json"))));
        });
  }

  private Reply query(Map<String, Object> arguments) {
    Map<String, Object> all = new HashMap<>();
    all.put("query_type", "sql");
    all.put("query", "SELECT carrier, delay FROM flights");
    all.put("files", List.of("flights"));
    all.putAll(arguments);
    return AnalyticsTestBed.call(new ExecuteQuery(bed.common, bed.queries()), all);
  }

  private static Visualization visualization(Reply reply) {
    return Objects.requireNonNull(
        ((QueryDocument) Objects.requireNonNull(reply.structured())).visualization());
  }

  @Test
  void aChartIsAPictureBesideTheRowsWithItsAxesNamed() throws IOException {
    drawn(png());

    Reply reply = query(Map.of("generate_chart", true, "chart_type", "bar"));

    AnalyticsRun run = bed.runs.created.getFirst();
    assertThat(Objects.requireNonNull(run.getSpec().reply()).chart())
        .isEqualTo(new ChartSpec(ChartType.BAR));
    String name = run.getMetadata().getName();
    assertThat(reply.text())
        .isEqualTo(
            "2 rows; duckdb, 12 ms; query_id "
                + name
                + "\nchart: bar, x carrier, y delay, 2 points; sorted by delay\n"
                + "carrier,delay\nUA,3.5\nB6,9.4");
    assertThat(reply.content())
        .satisfiesExactly(
            text -> assertThat(text).isInstanceOf(ContentBlock.Text.class),
            image -> assertThat(image).isInstanceOf(ContentBlock.Image.class),
            link ->
                assertThat(((ContentBlock.ResourceLink) link).uri())
                    .isEqualTo("assay://runs/" + name + "/artifacts/charts/chart.plotly.json"));
    assertThat(visualization(reply))
        .isEqualTo(
            new Visualization(
                "bar",
                "carrier",
                "delay",
                2,
                "sorted by delay",
                "assay://runs/" + name + "/artifacts/charts/chart.plotly.json",
                null));
  }

  @Test
  void aChartAloneTakesFewTokens() throws IOException {
    drawn(png());

    Reply reply = query(Map.of("return_format", "chart"));

    assertThat(Objects.requireNonNull(bed.runs.created.getFirst().getSpec().reply()).chart())
        .isEqualTo(new ChartSpec(null));
    QueryDocument document = (QueryDocument) Objects.requireNonNull(reply.structured());
    assertThat(document.resultType()).isEqualTo("chart");
    assertThat(document.data()).isEmpty();
    assertThat(reply.text()).doesNotContain("UA");
    assertThat(TokenEstimate.of(reply.text())).isLessThan(60);
  }

  @Test
  void theBytesOfAPictureAreTextOnlyWhereTheyAreAskedFor() throws IOException {
    byte[] png = png();
    drawn(png);

    Reply reply = query(Map.of("generate_chart", true, "base64_image", true));

    assertThat(visualization(reply).base64Image())
        .isEqualTo(Base64.getEncoder().encodeToString(png));
    assertThat(reply.text()).doesNotContain(Base64.getEncoder().encodeToString(png));
  }

  @Test
  void aPictureThatIsNoneIsLeftOut() {
    drawn("<script>".getBytes(UTF_8));

    Reply reply = query(Map.of("generate_chart", true));

    assertThat(reply.content()).noneMatch(ContentBlock.Image.class::isInstance);
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void whyThereIsNoChartIsSaid() {
    bed.returning(VALUE.formatted(",\"chartError\":\"no column has\\nnumbers\""));
    assertThat(query(Map.of("return_format", "chart")).text())
        .contains("\nwarning: no chart was drawn: no column has numbers\ncarrier,delay\nUA");

    bed.returning(VALUE.formatted(""));
    assertThat(query(Map.of("chart_type", "line")).text())
        .contains("\nwarning: no chart was drawn\n");
  }

  @Test
  void aQueryWithoutAChartHasNone() {
    bed.returning(VALUE.formatted(""));

    Reply reply = query(Map.of("generate_chart", false));

    assertThat(Objects.requireNonNull(bed.runs.created.getFirst().getSpec().reply()).chart())
        .isNull();
    assertThat(reply.content()).hasSize(1);
    assertThat(reply.text()).doesNotContain("chart");
  }

  @Test
  void anImageAsTextBelongsToAChart() {
    assertThat(query(Map.of("base64_image", true)).text())
        .startsWith("ERROR 4001 (Invalid Input): 'base64_image' belongs to generate_chart");
  }

  @Test
  void picturesThatPythonShowsComeToo() throws IOException {
    byte[] png = png();
    bed.runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.returned(VALUE.formatted(""))
                    .withArtifacts(
                        List.of(
                            bed.stored(
                                run.getMetadata().getName(),
                                1,
                                "artifacts/figure-1.png",
                                png,
                                "image/png")))));

    assertThat(query(Map.of("query_type", "python")).content())
        .hasSize(4)
        .anyMatch(ContentBlock.Image.class::isInstance);
  }
}
