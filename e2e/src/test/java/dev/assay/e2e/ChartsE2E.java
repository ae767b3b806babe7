package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Charts of query results, and plots that code shows, as an agent gets them. */
@FullEverywhere
class ChartsE2E {
  /** About 290 tokens; as text it would be tens of thousands. */
  private static final int MAX_BYTES = 100_000;

  /** A chart, and the rows that it shows in the language of each engine. */
  enum Drawing {
    BAR(
        "region",
        "n",
        "SELECT region, count(*) AS n FROM sales_data GROUP BY ALL ORDER BY ALL",
        "df.group_by('region').agg(pl.len().alias('n')).sort('region')",
        "df.groupby('region').size().rename('n').reset_index().sort_values('region')"),
    LINE(
        "day",
        "value",
        """
        SELECT order_date::DATE AS day, max(order_value) AS value
        FROM sales_data GROUP BY ALL ORDER BY ALL
        """,
        """
        df.group_by(pl.col('order_date').cast(pl.String).str.to_date().alias('day'))
          .agg(pl.col('order_value').max().alias('value')).sort('day')
        """,
        """
        df.assign(day=pd.to_datetime(df['order_date'])).groupby('day')['order_value'].max().rename(
            'value').reset_index()
        """),
    SCATTER(
        "order_value",
        "twice",
        "SELECT order_value, order_value * 2 AS twice FROM sales_data",
        "df.select('order_value', (pl.col('order_value') * 2).alias('twice'))",
        "df[['order_value']].assign(twice=df['order_value'] * 2)"),
    HISTOGRAM(
        "order_value",
        "count",
        "SELECT order_value FROM sales_data",
        "df.select('order_value')",
        "df[['order_value']]"),
    HEATMAP(
        "region",
        "category",
        "SELECT region, category, count(*) AS n FROM sales_data GROUP BY ALL ORDER BY ALL",
        "df.group_by('region', 'category').agg(pl.len().alias('n')).sort('region', 'category')",
        "df.groupby(['region', 'category']).size().rename('n').reset_index()");

    private final String x;
    private final String y;
    private final Map<String, String> queries;

    Drawing(String x, String y, String sql, String polars, String python) {
      this.x = x;
      this.y = y;
      queries = Map.of("sql", sql, "polars_expr", polars, "python", python);
    }

    String type() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Core
  @ParameterizedTest
  @EnumSource
  void eachEngineDrawsTheSameChart(Drawing drawing, Assay assay) {
    List<JsonNode> figures =
        List.of("sql", "polars_expr", "python").stream()
            .map(language -> figure(drawing, language, assay))
            .toList();
    assertThat(figures.getFirst().at("/data/0/type").asText())
        .isEqualTo(
            switch (drawing) {
              case LINE -> "scatter";
              case HISTOGRAM -> "bar";
              default -> drawing.type();
            });
    assertThat(figures).allMatch(figures.getFirst()::equals);
  }

  /** The figure of plotly of a chart, whose reply and picture are as they should be. */
  private static JsonNode figure(Drawing drawing, String language, Assay assay) {
    Reply reply =
        Query.of(assay, language, drawing.queries.get(language), List.of("sales_data"))
            .with("chart_type", drawing.type())
            .reply()
            .orFail();
    assertThat(reply.text())
        .contains("chart: %s, x %s, y %s, ".formatted(drawing.type(), drawing.x, drawing.y));
    assertDrawn(reply);
    JsonNode chart = reply.document().path("visualization");
    assertThat(chart.path("type").asText()).isEqualTo(drawing.type());
    assertThat(chart.path("x").asText()).isEqualTo(drawing.x);
    assertThat(chart.path("y").asText()).isEqualTo(drawing.y);
    assertThat(chart.has("base64_image")).isFalse();
    assertThat(reply.files()).contains(chart.path("data_url").asText());
    return json(assay, chart.path("data_url").asText());
  }

  @Core
  @Test
  void thePictureIsTextOnlyForThoseWhoAskForIt(Assay assay) {
    Reply reply =
        Query.sql(assay, "SELECT 'a' AS g, 1 AS n")
            .with("generate_chart", true)
            .with("base64_image", true)
            .reply()
            .orFail();
    assertThat(Base64.getDecoder().decode(image(reply))).isEqualTo(reply.images().getFirst());
    assertThat(reply.text()).doesNotContain(image(reply));
  }

  private static String image(Reply reply) {
    return reply.document().at("/visualization/base64_image").asText();
  }

  @Test
  void aChartWithoutRowsIsShort(Assay assay) {
    Reply reply =
        Query.sql(assay, "SELECT 'row ' || i AS g, i AS n FROM range(50) AS t(i)")
            .with("return_format", "chart")
            .reply()
            .orFail();
    assertDrawn(reply);
    assertThat(reply.document().path("result_type").asText()).isEqualTo("chart");
    assertThat(reply.document().path("data")).isEmpty();
    assertThat(reply.tokens()).isLessThan(100);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT 1 AS n WHERE false || the result has no rows",
        "SELECT NULL::INT AS a, NULL::VARCHAR AS b FROM range(3) || no column to draw",
        "SELECT 'NaN'::DOUBLE AS n || no column to draw",
        "SELECT [1, 2] AS n || no column to draw",
        "SELECT 'a' AS a, 'b' AS b | line | a line chart needs a column of numbers",
        "SELECT 'a' AS a | scatter | needs two columns of numbers",
      })
  void whatCannotBeDrawnHasItsRowsAndASentence(
      String sql, String type, String sentence, Assay assay) {
    Reply reply = chart(assay, sql, type);
    assertThat(reply.text()).contains("warning: no chart was drawn: ", sentence);
    assertThat(reply.images()).isEmpty();
    assertThat(reply.document().has("visualization")).isFalse();
    assertThat(reply.document().path("columns")).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "SELECT 'only' AS g, 1 AS n ~ bar ~ 1 point",
        "SELECT 1 AS n ~ histogram ~ 1 point",
        "SELECT 'c' || i AS g, i AS n FROM range(1000000) AS t(i) ~ bar ~ 50 points; the 50 largest",
        "SELECT 'c' || i AS g, i AS n FROM range(1000000) AS t(i) ~ heatmap ~ points",
        "SELECT 'a' AS a, 'b' AS b FROM range(5) ~ bar ~ count, 1 point",
        "SELECT 'c' || i AS g, -i AS width FROM range(5) AS t(i) ~ bar ~ x g, y width, 5 points",
        "SELECT -1 AS width FROM range(5) ~ histogram ~ x width, y count",
        "SELECT repeat('x', 10240) || i AS g, i AS n FROM range(9) AS t(i) ~ bar ~ 9 points",
        "SELECT unnest(['Αθήνα', 'Москва', 'القاهرة']) AS g, 1 AS n ~ bar ~ 3 points",
        "SELECT unnest(['東京', '서울', '北京']) AS g, 1 AS n ~ bar ~ 3 points",
        "SELECT '<script>alert(1)</script>' || chr(10) || '$x_1' AS g, 1e300 AS n ~ bar ~ 1 point",
      })
  void whatIsHardToDrawIsAChartOfTheSameSize(String sql, String type, String line, Assay assay) {
    Reply reply = chart(assay, sql, type);
    assertThat(reply.text()).contains("chart: " + type, line);
    assertDrawn(reply);
    json(assay, reply.document().at("/visualization/data_url").asText());
  }

  private static Reply chart(Assay assay, String sql, String type) {
    Query query = Query.sql(assay, sql).with("return_limit", 1).with("timeout_seconds", 120);
    return (type == null ? query.with("generate_chart", true) : query.with("chart_type", type))
        .reply()
        .orFail();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()",
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.bar(['a'], [1])\nfig.show()",
        "df['order_value'].plot.hist()\nimport matplotlib.pyplot as plt\nplt.show()",
      })
  void aPlotThatCodeShowsIsAnImage(String code, Assay assay) {
    Reply reply = assay.run("sales_data", code).orFail();
    assertThat(reply.text()).startsWith("Plot saved as artifacts/figure-1.png\n");
    assertThat(reply.images()).hasSize(1);
    Picture picture = Picture.of(reply.images().getFirst());
    assertThat(List.of(picture.width(), picture.height())).containsExactly(640, 480);
    assertThat(reply.files()).singleElement().asString().endsWith("/artifacts/figure-1.png");
  }

  @Core
  @Test
  void aFigureOfPlotlyIsALinkToItsJson(Assay assay) {
    Reply reply = assay.run("sales_data", "px.bar(df, x='region').show()").orFail();
    assertThat(reply.text()).startsWith("Plot saved as artifacts/figure-1.plotly.json\n");
    assertThat(reply.images()).isEmpty();
    assertThat(json(assay, reply.files().getFirst()).at("/data/0/type").asText()).isEqualTo("bar");
  }

  private static void assertDrawn(Reply reply) {
    assertThat(reply.images()).hasSize(1);
    assertThat(reply.images().getFirst()).hasSizeBetween(1_000, MAX_BYTES);
    Picture picture = Picture.of(reply.images().getFirst());
    assertThat(List.of(picture.width(), picture.height())).containsExactly(600, 360);
    // Something is drawn: anti-aliased letters alone have many shades.
    assertThat(picture.colours()).isGreaterThan(10);
  }

  private static JsonNode json(Assay assay, String uri) {
    try {
      return Rest.JSON.readTree(((TextResourceContents) assay.read(uri)).text());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
