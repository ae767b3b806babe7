package dev.assay.jvm.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ProfileQueryTest {
  @TempDir Path root;

  private Map<String, Object> value = Map.of();

  /** The profile of the rows of a query. */
  private Map<String, Object> profile(String query, String arguments) throws Exception {
    Session session = new TestEngine(root).with("t", "My t", query).open();
    String text =
        new ProfileQuery(session).run(new Job("builtin", "", "profile", arguments, List.of()));
    assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(256 * 1024);
    value = Json.object(text);
    return member(value, "profile");
  }

  private Map<String, Object> profile(String query) throws Exception {
    return profile(query, "{\"dataset\":\"My t\"}");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> member(Map<String, Object> of, String name) {
    return (Map<String, Object>) of.get(name);
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> columns(Map<String, Object> profile) {
    return (List<Map<String, Object>>) profile.get("columns");
  }

  private static Map<String, Object> column(Map<String, Object> profile, String name) {
    return columns(profile).stream()
        .filter(column -> column.get("name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String recommendations(Map<String, Object> profile) {
    return String.join("\n", texts(profile.get("recommendations")));
  }

  private static List<String> texts(Object list) {
    return ((List<?>) list).stream().map(String::valueOf).toList();
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }

  @Test
  void numbersAreThoseOfTheRows() throws Exception {
    Random random = new Random(1);
    List<String> rows = new ArrayList<>();
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < 997; i++) {
      boolean isNull = random.nextInt(10) == 0;
      int x = random.nextInt(300);
      rows.add("(%d, %s)".formatted(i, isNull ? "NULL" : Integer.toString(x)));
      if (!isNull) {
        values.add((double) x);
      }
    }
    values.sort(null);

    Map<String, Object> profile =
        profile("SELECT * FROM (VALUES " + String.join(",", rows) + ") AS v(id, x)");

    Map<String, Object> x = column(profile, "x");
    assertThat(x).containsEntry("type", "int64").containsEntry("uniqueCountApprox", false);
    assertThat(number(x.get("nulls"))).isEqualTo(997 - values.size());
    assertThat(number(x.get("nullPct")))
        .isEqualTo(Math.round((997 - values.size()) / 997.0 * 10_000) / 100.0);
    assertThat(number(x.get("uniqueCount"))).isEqualTo(new HashSet<>(values).size());
    assertThat(number(x.get("min"))).isEqualTo(values.getFirst());
    assertThat(number(x.get("max"))).isEqualTo(values.getLast());
    assertThat(number(x.get("mean")))
        .isCloseTo(values.stream().mapToDouble(v -> v).average().orElseThrow(), within(1e-9));
    assertThat(number(x.get("q25"))).isCloseTo(quantile(values, 0.25), within(1e-9));
    assertThat(number(x.get("q50"))).isCloseTo(quantile(values, 0.5), within(1e-9));
    assertThat(number(x.get("q75"))).isCloseTo(quantile(values, 0.75), within(1e-9));
    assertThat(profile).containsEntry("rowCount", 997L).containsEntry("columnCount", 2L);
    assertThat(profile).containsEntry("fileBytes", 7L).containsEntry("memoryBytes", 997L * 8);
    assertThat(value).containsEntry("engine", "duckdb").containsEntry("cacheable", true);
    assertThat(recommendations(profile)).contains("keys").contains("`id`");
  }

  /** Linear interpolation between the nearest ranks. */
  private static double quantile(List<Double> sorted, double fraction) {
    double position = fraction * (sorted.size() - 1);
    int below = (int) position;
    double above = sorted.get(Math.min(below + 1, sorted.size() - 1));
    return sorted.get(below) + (position - below) * (above - sorted.get(below));
  }

  @Test
  void theScoreCountsNullsAndDuplicateRows() throws Exception {
    // Of 20 rows 5 repeat another; a is 5 % null, b is 50 % null.
    Map<String, Object> profile =
        profile(
            """
            SELECT CASE WHEN i = 0 THEN NULL ELSE i % 15 END AS a,
                   CASE WHEN i % 15 % 2 = 0 THEN NULL ELSE 1 END AS b
            FROM range(20) AS r(i)
            """);

    long different =
        IntStream.range(0, 20).mapToObj(i -> (i == 0 ? "n" : i % 15) + "").distinct().count();
    assertThat(profile).containsEntry("duplicateRows", 20 - different);
    double expected = 100 - 5 * 2 - 10 - 20.0 * (20 - different) / 20;
    assertThat(number(profile.get("qualityScore"))).isEqualTo(expected);
    assertThat(profile).containsEntry("duplicateRowsApprox", false);
    assertThat(recommendations(profile))
        .contains("Filter or fill columns with many nulls")
        .contains("`b` (")
        .contains("Remove duplicate rows");
  }

  @Test
  void typesFollowFromTheTableAndFromTexts() throws Exception {
    Map<String, Object> profile =
        profile(
            """
            SELECT i::UTINYINT AS small, i::DECIMAL(10, 0) AS whole,
                   i::DECIMAL(10, 2) AS money, i / 3 AS real, i % 2 = 0 AS flag,
                   DATE '2024-01-01' + i::INTEGER AS day,
                   (DATE '2024-01-01' + i::INTEGER)::VARCHAR AS iso,
                   strftime(DATE '2024-01-01' + i::INTEGER, '%b %d %Y') AS written,
                   CASE WHEN i % 3 = 0 THEN 'UA' ELSE 'AA' END AS carrier,
                   'name ' || i AS name, i::VARCHAR AS digits, ['x', 'y'] AS list,
                   {'a': i} AS struct, encode('ab' || i) AS bytes, NULL::VARCHAR AS nothing
            FROM range(100) AS r(i)
            """);

    Map<String, String> types =
        columns(profile).stream()
            .collect(Collectors.toMap(c -> (String) c.get("name"), c -> (String) c.get("type")));
    assertThat(types)
        .containsEntry("small", "int64")
        .containsEntry("whole", "int64")
        .containsEntry("money", "float64")
        .containsEntry("real", "float64")
        .containsEntry("flag", "bool")
        .containsEntry("day", "datetime")
        .containsEntry("iso", "datetime")
        .containsEntry("written", "datetime")
        .containsEntry("carrier", "category")
        .containsEntry("name", "string")
        .containsEntry("digits", "string")
        .containsEntry("list", "string")
        .containsEntry("struct", "string")
        .containsEntry("bytes", "string")
        .containsEntry("nothing", "string");
    assertThat(column(profile, "day")).containsEntry("storedAs", null);
    assertThat(column(profile, "day"))
        .containsEntry("min", "2024-01-01")
        .containsEntry("max", "2024-04-09");
    assertThat(column(profile, "written"))
        .containsEntry("storedAs", "string")
        .containsEntry("min", "2024-01-01T00:00:00")
        .containsEntry("max", "2024-04-09T00:00:00");
    assertThat(column(profile, "carrier").get("top"))
        .isEqualTo(
            List.of(Map.of("value", "AA", "count", 66L), Map.of("value", "UA", "count", 34L)));
    assertThat(texts(column(profile, "carrier").get("sampleValues"))).containsExactly("AA", "UA");
    assertThat(recommendations(profile))
        .contains("`written` (%b %d %Y)")
        .contains("`iso` (ISO 8601)")
        .contains("Cast numbers that are stored as text: `digits`")
        .contains("Leave out columns without values: `nothing`")
        .contains("`struct` (STRUCT(a BIGINT))");
  }

  @Test
  void columnsThatTheSnapshotStoresAsTextAreNamed() throws Exception {
    Map<String, Object> profile = profile("SELECT i AS a, 'v' || i AS b FROM range(9) AS r(i)");

    assertThat(column(profile, "b")).containsEntry("storedAs", "string");
    assertThat(column(profile, "a")).containsEntry("storedAs", null);
    assertThat(recommendations(profile)).contains("several types").contains("`b`");
  }

  @Test
  void textsThatAreNotAllDatesAreCountedBeyondTheSample() throws Exception {
    Map<String, Object> profile =
        profile(
            "SELECT CASE WHEN i = 1 THEN 'never' ELSE '1/2/2020' END AS d FROM range(2000) AS r(i)",
            "{\"dataset\":\"t\",\"sampleSize\":100}");

    assertThat(column(profile, "d")).containsEntry("type", "datetime");
    assertThat(recommendations(profile)).contains("`d` (%m/%d/%Y", "1 values are no dates)");
  }

  @Test
  void numbersWithSomethingAroundThemAreNamed() throws Exception {
    Map<String, Object> profile =
        profile(
            """
            SELECT * FROM (VALUES
              ('$1,234.50', '12%', '(200.00)', '1.234,50', '12 kg', '5', '12a', 'SKU001'),
              ('$99.00', '7.5%', '150.00', '99,00', '3.5 kg', '-', '12b', 'SKU002'),
              ('$10,000.00', '100%', '(1.50)', '12.000,00', '7 kg', 'n/a', '13', 'SKU003'))
              AS v(price, share, cost, preis, weight, gaps, house, code)
            """);

    assertThat(recommendations(profile))
        .contains("`price` ($#)")
        .contains("`share` (#%)")
        .contains("`cost` (# or (#))")
        .contains("`preis` (# with a decimal comma)")
        .contains("`weight` (# kg)")
        .contains("`gaps` (#; -, n/a is no number)")
        .contains("Use as keys, since each row has a value of its own: `house`, `code`")
        .doesNotContain("`house` (")
        .doesNotContain("`code` (");
  }

  @Test
  void whatOnlyLooksLikeADateIsNone() throws Exception {
    Map<String, Object> profile =
        profile(
            """
            SELECT * FROM (VALUES
              ('3.11.4', '555-1-2', '1001/2/3', '2024-01-02', '2024/1/2', '1.2.2024'),
              ('3.9.7', '555-1-3', '1002/2/4', '2024-02-03', '2024/2/13', '24.12.2024'))
              AS v(version, phone, part, iso, slashes, german)
            """);

    assertThat(columns(profile))
        .extracting(column -> column.get("type"))
        .containsExactly("string", "string", "string", "datetime", "datetime", "datetime");
  }

  @Test
  void datesThatFitTwoFormatsAreToldWithBoth() throws Exception {
    Map<String, Object> profile =
        profile(
            """
            SELECT * FROM (VALUES ('03/04/2025', '03/04/2025'), ('05/04/2025', '31/12/2025'))
              AS v(visit, birth)
            """);

    assertThat(recommendations(profile))
        .contains("`visit` (%m/%d/%Y, as which min and max are given; %d/%m/%Y fits too)")
        .contains("`birth` (%d/%m/%Y)");
  }

  @Test
  void argumentsLimitCategoriesAndStatistics() throws Exception {
    Map<String, Object> profile =
        profile(
            "SELECT 'c' || i % 3 AS c FROM range(30) AS r(i)",
            "{\"dataset\":\"t\",\"maxCategories\":2,\"computeStats\":false}");

    assertThat(column(profile, "c")).containsEntry("type", "string").doesNotContainKey("top");
  }

  @Test
  void anyNameOfAColumnWillDo() throws Exception {
    List<String> names =
        List.of("a \"quoted\" one", " ", "'; DROP TABLE t; --", "😀", "c0", "r", "%s", "select");
    String query =
        names.stream()
            .map(name -> "i AS \"" + name.replace("\"", "\"\"") + "\"")
            .collect(Collectors.joining(", ", "SELECT ", " FROM range(3) AS g(i)"));

    Map<String, Object> profile = profile(query);

    assertThat(columns(profile)).extracting(column -> column.get("name")).isEqualTo(names);
    assertThat(columns(profile)).allMatch(column -> column.get("uniqueCount").equals(3L));
  }

  @Test
  void aTableWithoutRowsHasAProfile() throws Exception {
    Map<String, Object> profile =
        profile("SELECT 1 AS a, 'x' AS b, [1] AS c, 1.5::DOUBLE AS d FROM range(0)");

    assertThat(profile).containsEntry("rowCount", 0L).containsEntry("duplicateRows", 0L);
    assertThat(number(profile.get("qualityScore"))).isEqualTo(100);
    assertThat(columns(profile)).allMatch(column -> column.get("uniqueCount").equals(0L));
    assertThat(recommendations(profile)).isEqualTo("The table has no rows.");
  }

  @Test
  void nanIsNullAndInfinitiesHaveNoRange() throws Exception {
    Map<String, Object> profile =
        profile(
            "SELECT unnest(['nan', 'inf', '-inf', '1.5', '2.5', '1e308', '1e308']::DOUBLE[]) AS x");

    Map<String, Object> x = column(profile, "x");
    assertThat(x).containsEntry("nulls", 1L).containsEntry("uniqueCount", 5L);
    assertThat(x).containsEntry("min", new BigDecimal("1.5"));
    assertThat(number(x.get("max"))).isEqualTo(1e308);
    assertThat(x).doesNotContainKey("mean");
  }

  @Test
  void largeIntegersAreExactTexts() throws Exception {
    Map<String, Object> profile =
        profile(
            "SELECT unnest([170141183460469231731687303715884105727::HUGEINT, 7::HUGEINT]) AS x");

    // Parquet stores integers of 128 bits as doubles.
    assertThat(number(column(profile, "x").get("min"))).isEqualTo(7);
    assertThat(column(profile("SELECT unnest([9007199254740993, 1]) AS x"), "x"))
        .containsEntry("max", 9007199254740993L);
  }

  @Test
  void longTextsAreShortened() throws Exception {
    Map<String, Object> profile =
        profile("SELECT repeat('ä', 1000000 + i::INTEGER) AS x FROM range(4) AS r(i)");

    assertThat(texts(column(profile, "x").get("sampleValues")))
        .containsExactly("ä".repeat(80) + "…");
    assertThat(column(profile, "x")).containsEntry("uniqueCount", 4L).doesNotContainKey("top");
    assertThat(recommendations(profile)).contains("`x` (up to 2,000,006 bytes)");
  }

  @Test
  void fiveThousandColumnsFitByLeavingOutValues() throws Exception {
    String query =
        IntStream.range(0, 5000)
            .mapToObj(i -> i % 2 == 0 ? "i AS c_" + i : "'text ' || i AS c_" + i)
            .collect(Collectors.joining(", ", "SELECT ", " FROM range(3) AS g(i)"));

    Map<String, Object> profile = profile(query);

    assertThat(profile).containsEntry("columnCount", 5000L).containsEntry("duplicateRows", 0L);
    assertThat(columns(profile)).hasSizeGreaterThan(1000);
    assertThat(columns(profile).getFirst()).doesNotContainKey("sampleValues");
    assertThat(texts(value.get("warnings"))).anyMatch(text -> text.contains("of 5,000 columns"));
  }

  @Test
  void anUnknownDatasetIsAnError() throws Exception {
    assertThatThrownBy(() -> profile("SELECT 1 AS a", "{\"dataset\":\"my t\"}"))
        .isInstanceOfSatisfying(
            JobFailure.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
              assertThat(e.suggestions()).containsExactly("Did you mean 'My t'?");
            })
        .hasMessageContaining("My t");
  }

  @Test
  void aDatasetWithoutTableIsToBeLoadedAgain() throws Exception {
    Session session = new TestEngine(root).withoutTable("old").open();
    Job job = new Job("builtin", "", "profile", "{\"dataset\":\"old\"}", List.of());

    assertThatThrownBy(() -> new ProfileQuery(session).run(job))
        .isInstanceOfSatisfying(
            JobFailure.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SCHEMA_ERROR))
        .hasMessageContaining("load it again");
  }
}
