package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.DatasetFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Datasets that are a folder or a pattern of files, and datasets without a frame. */
class TableSourcesE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NO_FRAME = "the dataset has no frame, and so no df.";

  @Test
  @Everywhere
  void aDatasetWithoutAFrameIsReadByAllButPandas(Assay assay) {
    load(assay, "frameless");

    assertThat(Query.sql(assay, "SELECT sum(n) FROM frameless", "frameless").rows())
        .hasToString("[[15]]");
    assertThat(Query.polars(assay, "df.select(pl.sum('n'))", "frameless").rows())
        .hasToString("[[15]]");
    assertThat(
            Query.python(assay, "pl.scan_csv('frameless.csv').select(pl.sum('n'))", "frameless")
                .rows())
        .hasToString("[[15]]");
    Reply profile = assay.call("analytics_profile_dataset", Map.of("file_path", "frameless"));
    assertThat(profile.isError()).as(profile.text()).isFalse();
    assertThat(profile.text()).startsWith("frameless: 3 rows x 2 columns");
    Reply sample =
        assay.call("analytics_stream_sample", Map.of("file_path", "frameless", "strategy", "head"));
    assertThat(JSON.<JsonNode>valueToTree(sample.structured()).path("sample").toString())
        .isEqualTo("[{\"n\":7,\"s\":\"x\"},{\"n\":8,\"s\":null},{\"n\":null,\"s\":\"z\"}]");
  }

  @Test
  @Everywhere
  void codeThatWantsTheFrameOfSuchADatasetIsToldHowToReadIt(Assay assay) {
    load(assay, "unframed");

    JsonNode error = Query.python(assay, "df.head()", "unframed").error();
    Reply code = assay.run("unframed", "print(df.head())");

    assertThat(error.path("code").asInt()).isEqualTo(4003);
    assertThat(error.path("message").asText()).contains(NO_FRAME, "pl.scan_parquet");
    assertThat(code.isError()).isTrue();
    assertThat(code.text()).contains(NO_FRAME);
    assertThat(assay.run("unframed", "print(open('unframed.csv').readline())").text())
        .isEqualTo("n,s\n\n");
  }

  private static void load(Assay assay, String name) {
    Reply loaded =
        assay.call(
            "load_dataset",
            Map.of(
                "dataset_name",
                name,
                "text",
                "n,s\n7,x\n8,\n,z\n",
                "frame",
                false,
                "replace",
                true));
    assertThat(loaded.isError()).as(loaded.text()).isFalse();
  }

  @Test
  @Core
  void aFolderIsOneTableWithItsPartitionsAsColumns(Assay assay) throws IOException {
    assay.volumeDataset("flights_by_month", DatasetFormat.PARQUET, "nycflights13/months");

    assertMonths(assay, "flights_by_month", flightsPerMonth(assay));
    assertThat(
            Query.python(
                    assay,
                    "df['month'].astype(int).value_counts().sort_index().rename('n').reset_index()",
                    "flights_by_month")
                .with("run_class", "python-large")
                .rows())
        .isEqualTo(rows(flightsPerMonth(assay)));
    Reply profile =
        assay.call("analytics_profile_dataset", Map.of("file_path", "flights_by_month"));
    assertThat(profile.text()).contains("336776 rows x 19 columns", "month: int64");
  }

  @Test
  @Core
  void aPatternIsTheFilesThatMatch(Assay assay) throws IOException {
    assay.volumeDataset(
        "flights_in_winter", DatasetFormat.PARQUET, "nycflights13/months/month=1*/*.parquet");
    Map<Integer, Long> expected = flightsPerMonth(assay);
    expected.keySet().retainAll(List.of(1, 10, 11, 12));

    assertMonths(assay, "flights_in_winter", expected);
  }

  @Test
  @Core
  void aFolderWithoutAFrameIsReadByPolarsAndSql(Assay assay) throws IOException {
    Reply loaded =
        assay.call(
            "load_dataset",
            Map.of(
                "dataset_name", "flights_unframed",
                "volume", "shared",
                "path", "nycflights13/months",
                "format", "parquet",
                "frame", false,
                "replace", true));
    assertThat(loaded.isError()).as(loaded.text()).isFalse();

    assertMonths(assay, "flights_unframed", flightsPerMonth(assay));
    assertThat(Query.python(assay, "len(df)", "flights_unframed").error().path("message").asText())
        .contains(NO_FRAME);
  }

  private static void assertMonths(Assay assay, String name, Map<Integer, Long> expected) {
    assertThat(
            Query.sql(
                    assay,
                    "SELECT month, count(*) AS n FROM %s GROUP BY month ORDER BY month"
                        .formatted(name),
                    name)
                .rows())
        .isEqualTo(rows(expected));
    assertThat(Query.polars(assay, "df.group_by('month').agg(pl.len()).sort('month')", name).rows())
        .isEqualTo(rows(expected));
  }

  private static List<List<JsonNode>> rows(Map<Integer, Long> counts) {
    List<List<JsonNode>> rows = new ArrayList<>();
    counts.forEach(
        (month, count) ->
            rows.add(
                List.of(
                    JSON.getNodeFactory().numberNode(month.intValue()),
                    JSON.getNodeFactory().numberNode(count.intValue()))));
    return rows;
  }

  /** Counted in the lines of the CSV file. */
  private static Map<Integer, Long> flightsPerMonth(Assay assay) throws IOException {
    Path file = assay.installation().data().resolve("nycflights13/flights.csv");
    try (var lines = Files.lines(file)) {
      List<String> all = lines.toList();
      int month = List.of(all.getFirst().split(",", -1)).indexOf("month");
      return all.stream()
          .skip(1)
          .collect(
              Collectors.groupingBy(
                  line -> Integer.valueOf(line.split(",", -1)[month]),
                  TreeMap::new,
                  Collectors.counting()));
    }
  }
}
