package dev.assay.frontend.analytics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.run.StoredTables;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResultTablesTest {
  private static final String VALUE =
      """
      {"table":{"columns":[{"name":"n","type":"BIGINT"},{"name":"note","type":"VARCHAR"}],
        "rows":[[0,"row 0"],[1,null]],"totalRows":%d}}""";

  private final FakeOutputs outputs = new FakeOutputs();
  private final ResultTables tables =
      new ResultTables(new RunValues(outputs), new ArtifactReader(outputs));

  private AnalyticsRun run(String lines, long totalRows) {
    byte[] file = lines.getBytes(UTF_8);
    outputs.artifact("uid-1", 1, file);
    return Fixtures.run(
        "run-a",
        Fixtures.returned(VALUE.formatted(totalRows))
            .withArtifacts(
                List.of(Fixtures.artifact("results/rows.ndjson", file, "application/x-ndjson"))));
  }

  private static String lines(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "[%d,\"row %d\"]\n".formatted(i, i))
        .collect(Collectors.joining());
  }

  private StoredTables.Part part(AnalyticsRun run, int offset, int limit)
      throws InterruptedException {
    return tables.of(run, offset, limit, CallMemory.UNCOUNTED).orElseThrow();
  }

  @Test
  void rowsBehindThoseOfTheValueAreReadFromTheArtifact() throws InterruptedException {
    StoredTables.Part part = part(run(lines(10_000), 336_776), 9_998, 5);

    assertThat(part.columns()).containsExactly("n", "note");
    assertThat(part.rows()).containsExactly(List.of(9_998, "row 9998"), List.of(9_999, "row 9999"));
    assertThat(part.storedRows()).isEqualTo(10_000);
    assertThat(part.totalRows()).isEqualTo(336_776);
    assertThat(part(run(lines(3), 3), 3, 5).rows()).isEmpty();
  }

  @Test
  void rowsThatAreLongerThanAPieceAreRead() throws InterruptedException {
    String text = "ä".repeat(200_000);
    String line = "[1.50,\"" + text + "\"]\n";

    StoredTables.Part part = part(run(line.repeat(9), 9), 2, 3);

    assertThat(part.storedRows()).isEqualTo(9);
    assertThat(part.rows()).containsExactly(List.of(new BigDecimal("1.50"), text));
  }

  @Test
  void aResultThatIsWholeNeedsNoArtifact() throws InterruptedException {
    StoredTables.Part part = part(run("nonsense", 2), 1, 5);

    assertThat(part.rows()).containsExactly(Arrays.asList(1, null));
    assertThat(part.storedRows()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[1]\n",
        "[1,2,3]\n",
        "{\"n\":1}\n",
        "[1,\n",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n"
      })
  void anArtifactOfAnotherFormLeavesTheRowsOfTheValue(String lines) throws InterruptedException {
    StoredTables.Part part = part(run(lines, 900), 0, 5);

    assertThat(part.rows()).hasSize(2);
    assertThat(part.storedRows()).isEqualTo(2);
  }

  @Test
  void anArtifactThatCannotBeUsedLeavesTheRowsOfTheValue() throws InterruptedException {
    assertThat(part(run(lines(10_001), 20_000), 0, 5).storedRows()).isEqualTo(2);

    AnalyticsRun changed = run(lines(20), 900);
    outputs.artifact("uid-1", 1, lines(20).replace("row 3", "row X").getBytes(UTF_8));
    assertThat(part(changed, 0, 5).storedRows()).isEqualTo(2);
  }

  @Test
  void aRunWithoutATableHasNoRows() throws InterruptedException {
    assertThat(
            tables.of(Fixtures.run("run-a", Fixtures.returned("{}")), 0, 5, CallMemory.UNCOUNTED))
        .isEmpty();
    assertThat(
            tables.of(
                Fixtures.run("run-a", Fixtures.succeeded("text")), 0, 5, CallMemory.UNCOUNTED))
        .isEmpty();
  }
}
