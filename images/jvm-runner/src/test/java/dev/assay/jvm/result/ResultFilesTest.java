package dev.assay.jvm.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.sql.SqlQuery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
  private static final JobFiles KEPT = new JobFiles(List.of(), List.of(), Set.of("results"), 100);

  @TempDir Path root;
  private TestEngine engine;
  private Session session;

  @BeforeEach
  void open() throws Exception {
    engine = new TestEngine(root);
    session = engine.open();
  }

  private Map<String, Object> run(String query, JobFiles files) throws Exception {
    return Json.object(new SqlQuery(session).run(engine.query(query, null).with(files)));
  }

  private Path file(String path) {
    return root.resolve("workspace").resolve(path);
  }

  private List<String> stored(String expression) throws Exception {
    List<String> cells = new ArrayList<>();
    try (Statement statement = session.connection().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT %s FROM read_parquet('%s')"
                    .formatted(expression, file(ResultFiles.TABLE)))) {
      while (row.next()) {
        cells.add(row.getString(1));
      }
    }
    return cells;
  }

  @Test
  void aResultIsStoredWithItsOrderAndTypes() throws Exception {
    run("SELECT 3 - i AS n, DATE '2024-01-01' + i::INTEGER AS d FROM range(3) t(i)", KEPT);

    assertThat(stored("n")).containsExactly("3", "2", "1");
    assertThat(stored("typeof(d)")).containsOnly("DATE");
    assertThat(file(ResultFiles.ROWS)).doesNotExist();
  }

  @Test
  void rowsThatTheValueHasNoRoomForAreStoredAsLines() throws Exception {
    run("SELECT i, 'x' || i AS s FROM range(2500) t(i)", KEPT);

    List<String> lines = Files.readAllLines(file(ResultFiles.ROWS));
    assertThat(lines).hasSize(2500);
    assertThat(lines.getLast()).isEqualTo("[2499,\"x2499\"]");
  }

  @Test
  void noMoreThanTenThousandRowsAreStored() throws Exception {
    run("FROM range(12000)", KEPT);

    assertThat(stored("count(*)")).containsExactly("10000");
    assertThat(Files.readAllLines(file(ResultFiles.ROWS))).hasSize(10_000);
  }

  @Test
  void sumsAreStoredAsIntegersAndNotAsFloatingPointNumbers() throws Exception {
    run(
        """
        SELECT sum(i) AS small, sum(i::HUGEINT * 10000000000000000000) AS large,
               170141183460469231731687303715884105727::HUGEINT AS largest,
               [1::HUGEINT] AS nested
        FROM range(10) t(i)\
        """,
        KEPT);

    assertThat(stored("typeof(small)")).containsExactly("BIGINT");
    assertThat(stored("large")).containsExactly("450000000000000000000");
    assertThat(stored("largest")).containsExactly("170141183460469231731687303715884105727");
    assertThat(stored("typeof(nested)")).containsExactly("DECIMAL(38,0)[]");
  }

  @Test
  void timesWithAZoneAndUnionsAreStoredAsTheirTexts() throws Exception {
    run("SELECT '10:00:00+01'::TIMETZ AS t, 1::UNION(a INTEGER, b VARCHAR) AS u", KEPT);

    assertThat(stored("t")).containsExactly("10:00:00+01");
    assertThat(stored("u")).containsExactly("1");
  }

  @Test
  void nothingIsStoredOfAJobThatKeepsNothing() throws Exception {
    run("SELECT 1", JobFiles.NONE);

    assertThat(file(ResultFiles.FOLDER)).doesNotExist();
  }

  @Test
  void nothingIsStoredOfAResultWithoutRows() throws Exception {
    run("SELECT 1 WHERE false", KEPT);

    assertThat(file(ResultFiles.FOLDER)).doesNotExist();
  }

  @Test
  void aQueryIsAnsweredEvenIfItsResultCannotBeStored() throws Exception {
    Files.writeString(file(ResultFiles.FOLDER), "a file where the folder should be");

    Map<String, Object> value = run("SELECT 1 AS a", KEPT);

    assertThat(value).containsKey("table");
    assertThat(String.valueOf(value.get("warnings"))).contains("could not be stored");
  }
}
