package dev.assay.jvm.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SampleQueryTest {
  private static final String HUNDRED =
      """
      SELECT i AS id,
             CASE WHEN i < 80 THEN 'big' WHEN i < 99 THEN 'small' ELSE NULL END AS size,
             'x' || i AS name
      FROM range(100) AS r(i)
      """;

  @TempDir Path root;

  private TestEngine engine;
  private Session session;

  @BeforeEach
  void startEngine() throws Exception {
    engine = new TestEngine(root).with("t", "My t", HUNDRED);
    session = engine.open();
  }

  private Map<String, Object> sample(String arguments) throws Exception {
    String text =
        new SampleQuery(session)
            .run(
                new Job(
                    "builtin", "", "sample", "{\"dataset\":\"t\"" + arguments + "}", List.of()));
    assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(256 * 1024);
    return Json.object(text);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> member(Map<String, Object> of, String name) {
    return (Map<String, Object>) of.get(name);
  }

  @SuppressWarnings("unchecked")
  private static List<List<Object>> rows(Map<String, Object> value) {
    return (List<List<Object>>) member(value, "table").get("rows");
  }

  private static List<Object> first(Map<String, Object> value) {
    return rows(value).stream().map(List::getFirst).toList();
  }

  @Test
  void headReturnsTheFirstRows() throws Exception {
    Map<String, Object> value = sample(",\"strategy\":\"head\",\"size\":3");

    assertThat(rows(value))
        .containsExactly(
            List.of(0L, "big", "x0"), List.of(1L, "big", "x1"), List.of(2L, "big", "x2"));
    assertThat(member(value, "sampling"))
        .containsEntry("strategy", "head")
        .containsEntry("rowsSampled", 3L)
        .containsEntry("totalRows", 100L)
        .containsEntry("columnsIncluded", List.of("id", "size", "name"))
        .containsEntry("seed", null);
    assertThat(value).containsEntry("cacheable", true).containsEntry("aggregation", false);
    assertThat(value).containsKey("summary");
  }

  @Test
  void systematicRowsAreEvenlySpread() throws Exception {
    assertThat(first(sample(",\"strategy\":\"systematic\",\"size\":4")))
        .containsExactly(0L, 25L, 50L, 75L);
  }

  @Test
  void aSeedRepeatsARandomSample() throws Exception {
    Map<String, Object> value = sample(",\"seed\":7");

    assertThat(rows(value)).hasSize(20);
    assertThat(first(value))
        .isEqualTo(Positions.random(20, 100, 7).stream().sorted().map(Object.class::cast).toList());
    assertThat(rows(sample(",\"seed\":7"))).isEqualTo(rows(value));
    assertThat(value).containsEntry("cacheable", true);
    assertThat(sample("")).containsEntry("cacheable", false);
  }

  @Test
  void strataShareTheSampleAndNullIsOne() throws Exception {
    String arguments =
        ",\"strategy\":\"stratified\",\"stratifyColumn\":\"size\",\"size\":10,\"seed\":3";

    Map<String, Object> value = sample(arguments);

    Map<Object, Long> counts =
        rows(value).stream()
            .collect(
                Collectors.groupingBy(row -> String.valueOf(row.get(1)), Collectors.counting()));
    assertThat(counts).isEqualTo(Map.of("big", 7L, "small", 2L, "null", 1L));
    assertThat(first(value).stream().map(id -> (Long) id).toList()).isSorted();
    assertThat(rows(sample(arguments))).isEqualTo(rows(value));
    assertThat(sample(",\"strategy\":\"stratified\",\"stratifyColumn\":\"size\""))
        .containsEntry("cacheable", false);
  }

  @Test
  void ofMoreStrataThanRowsTheLargestHaveOneEach() throws Exception {
    Map<String, Object> value =
        sample(",\"strategy\":\"stratified\",\"stratifyColumn\":\"size\",\"size\":2");

    assertThat(rows(value).stream().map(row -> row.get(1)).toList())
        .containsExactly("big", "small");
    assertThat(value.get("warnings"))
        .isEqualTo(
            List.of(
                "Column 'size' has 3 values: the sample has a row of only 2 of them, the most"
                    + " frequent"));
    assertThat(member(value, "sampling")).containsEntry("strata", 3L);
  }

  /** Those that come first in the table would be no sample of it. */
  @Test
  void ofEqualStrataTheSeedChooses() throws Exception {
    String arguments =
        ",\"strategy\":\"stratified\",\"stratifyColumn\":\"id\",\"size\":30,\"seed\":";

    List<Object> chosen = first(sample(arguments + 1));

    assertThat(chosen).hasSize(30).anyMatch(id -> (Long) id < 50).anyMatch(id -> (Long) id >= 50);
    assertThat(first(sample(arguments + 1))).isEqualTo(chosen);
    assertThat(first(sample(arguments + 2))).isNotEqualTo(chosen);
  }

  @Test
  void columnsAreThoseWanted() throws Exception {
    Map<String, Object> value =
        sample(",\"strategy\":\"head\",\"size\":1,\"columns\":[\"name\",\"ID\",\"name\"]");

    assertThat(rows(value)).containsExactly(List.of("x0", 0L));
    assertThat(member(value, "sampling")).containsEntry("columnsIncluded", List.of("name", "id"));
  }

  @Test
  void anUnknownColumnIsAnErrorThatNamesANearOne() {
    for (String arguments :
        List.of(
            ",\"columns\":[\"nam\"]", ",\"strategy\":\"stratified\",\"stratifyColumn\":\"nam\"")) {
      assertThatThrownBy(() -> sample(arguments))
          .isInstanceOfSatisfying(
              JobFailure.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_ERROR);
                assertThat(e.suggestions()).containsExactly("Did you mean 'name'?");
              })
          .hasMessage("Column 'nam' not found");
    }
  }

  @Test
  void argumentsThatDoNotGoTogetherAreErrors() {
    for (String arguments :
        List.of(
            ",\"strategy\":\"stratified\"",
            ",\"stratifyColumn\":\"id\"",
            ",\"strategy\":\"head\",\"seed\":1",
            ",\"columns\":[]",
            ",\"size\":101",
            ",\"size\":0",
            ",\"strategy\":\"best\"")) {
      assertThatThrownBy(() -> sample(arguments))
          .isInstanceOfSatisfying(
              JobFailure.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT));
    }
  }

  @Test
  void emptyTablesHaveEmptySamples() throws Exception {
    session = new TestEngine(root.resolve("e")).with("t", "t", HUNDRED + " LIMIT 0").open();

    for (String strategy :
        List.of("head", "random", "systematic", "stratified\",\"stratifyColumn\":\"id")) {
      assertThat(rows(sample(",\"strategy\":\"" + strategy + "\""))).isEmpty();
    }
  }

  @Test
  void aSmallTableIsReturnedWhole() throws Exception {
    session = new TestEngine(root.resolve("s")).with("t", "t", HUNDRED + " LIMIT 5").open();

    for (String strategy :
        List.of("head", "random", "systematic", "stratified\",\"stratifyColumn\":\"name")) {
      assertThat(first(sample(",\"strategy\":\"" + strategy + "\"")))
          .containsExactly(0L, 1L, 2L, 3L, 4L);
    }
  }

  @Test
  void rowsAreThoseOfAllRowGroups() throws Exception {
    session =
        new TestEngine(root.resolve("l"))
            .with("t", "t", "SELECT i AS id, i % 7 AS k FROM range(300000) AS r(i)")
            .open();

    assertThat(first(sample(",\"strategy\":\"systematic\",\"size\":3")))
        .containsExactly(0L, 100_000L, 200_000L);
    assertThat(first(sample(",\"seed\":1")))
        .isEqualTo(
            Positions.random(20, 300_000, 1).stream().sorted().map(Object.class::cast).toList());
  }

  @Test
  void theFirstOnesOfTheOrderAreASampleToo() throws Exception {
    session =
        new TestEngine(root.resolve("s"))
            .with("t", "t", "SELECT i AS id, i % 10 AS k FROM range(1000) AS r(i)")
            .open();
    Map<String, Object> value =
        sample(",\"strategy\":\"stratified\",\"stratifyColumn\":\"k\",\"size\":100");

    List<?> order = (List<?>) member(value, "sampling").get("order");
    assertThat(order).hasSize(100).doesNotHaveDuplicates();
    for (int size : new int[] {10, 20, 50}) {
      Map<Object, Long> strata =
          order.stream()
              .limit(size)
              .map(index -> rows(value).get(((Number) index).intValue()).getLast())
              .collect(Collectors.groupingBy(stratum -> stratum, Collectors.counting()));
      assertThat(strata).hasSize(10);
      assertThat(strata.values()).containsOnly(size / 10L);
    }
    assertThat(member(sample(",\"strategy\":\"head\""), "sampling")).doesNotContainKey("order");
  }

  @Test
  void aSampleThatAValueHasNoRoomForIsASmallerSample() throws Exception {
    session =
        new TestEngine(root.resolve("w"))
            .with(
                "t",
                "t",
                "SELECT i AS id, i // 100 AS k, repeat('x', 100000) AS a, repeat('y', 100000) AS b"
                    + " FROM range(1000) AS r(i)")
            .open();

    Map<String, Object> stratified =
        sample(",\"strategy\":\"stratified\",\"stratifyColumn\":\"k\",\"size\":100");
    assertThat(rows(stratified)).hasSizeBetween(15, 25);
    assertThat(rows(stratified).stream().map(row -> row.get(1)).distinct()).hasSize(10);
    assertThat(member(stratified, "sampling"))
        .containsEntry("rowsSampled", (long) rows(stratified).size());
    assertThat(String.valueOf(stratified.get("warnings"))).contains("rows instead of 100");

    Map<String, Object> systematic = sample(",\"strategy\":\"systematic\",\"size\":100");
    List<Object> wanted =
        Positions.systematic(rows(systematic).size(), 1000).stream()
            .map(Object.class::cast)
            .toList();
    assertThat(first(systematic)).isEqualTo(wanted);
  }

  @Test
  void anyNameOfAColumnWillDo() throws Exception {
    session =
        new TestEngine(root.resolve("n"))
            .with("t", "t", "SELECT 1 AS \"a \"\" b\", 2 AS \"😀\", 3 AS r, 4 AS c0")
            .open();

    Map<String, Object> value =
        sample(
            ",\"strategy\":\"stratified\",\"stratifyColumn\":\"😀\",\"columns\":[\"r\",\"a \\\" b\"]");

    assertThat(rows(value)).containsExactly(List.of(3L, 1L));
  }

  @Test
  void fiveThousandColumnsAreCutWithAWarning() throws Exception {
    String query =
        IntStream.range(0, 5000)
            .mapToObj(i -> i + " AS column_" + i)
            .collect(Collectors.joining(", ", "SELECT ", ""));
    session = new TestEngine(root.resolve("w")).with("t", "t", query).open();

    Map<String, Object> value = sample("");

    assertThat(rows(value).getFirst()).hasSizeGreaterThan(1000);
    assertThat(String.valueOf(value.get("warnings"))).contains("5,000 columns");
  }
}
