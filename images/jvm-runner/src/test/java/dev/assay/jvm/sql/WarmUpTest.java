package dev.assay.jvm.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.TestEngine;
import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarmUpTest {
  /** What a query finds out about those before it. */
  private static final String STATE =
      """
      SELECT (SELECT list(table_name) FROM duckdb_tables()) AS tables,
        (SELECT list(view_name) FROM duckdb_views() WHERE NOT internal) AS views,
        (SELECT list(name || '=' || value ORDER BY name) FROM duckdb_settings()) AS settings,
        (SELECT count(*) FROM duckdb_temporary_files()) AS files
      """;

  @TempDir Path cold;
  @TempDir Path warm;

  @Test
  void aQueryFindsTheStateOfAnEngineThatHasRunNone() throws Exception {
    Engine warmed = Engine.start(new TestEngine(warm).surroundings());
    List<Path> before = files(warm);
    WarmUp.runQuery(warmed.openUnrestricted());

    assertThat(files(warm)).isEqualTo(before);
    assertThat(state(warmed.open(List.of(), null)))
        .contains("memory_limit=")
        .isEqualTo(
            state(Engine.start(new TestEngine(cold).surroundings()).open(List.of(), null))
                .replace(cold.toString(), warm.toString()));
  }

  private static String state(Session session) throws SQLException {
    try (Statement statement = session.connection().createStatement();
        ResultSet row = statement.executeQuery(STATE)) {
      assertThat(row.next()).isTrue();
      return IntStream.rangeClosed(1, row.getMetaData().getColumnCount())
          .mapToObj(column -> text(row, column))
          .collect(Collectors.joining("\n"));
    }
  }

  private static String text(ResultSet row, int column) {
    try {
      return row.getString(column);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Path> files(Path root) throws IOException {
    try (Stream<Path> found = Files.walk(root)) {
      return found.sorted().toList();
    }
  }
}
