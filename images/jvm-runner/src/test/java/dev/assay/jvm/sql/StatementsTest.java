package dev.assay.jvm.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.Json;
import dev.assay.jvm.TestEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Statements of each kind that the documentation of DuckDB's SQL has, with the columns and cells
 * that its Python package gives.
 */
class StatementsTest {
  @TempDir private Path root;

  @SuppressWarnings("unchecked")
  static Stream<Arguments> statements() throws Exception {
    Map<String, Object> table =
        Json.object(Files.readString(Path.of("../protocol/statements.json")));
    String setup = String.join(";\n", (List<String>) table.get("setup"));
    return ((List<Map<String, Object>>) table.get("statements"))
        .stream().map(one -> Arguments.of(one.get("sql"), setup, one));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("statements")
  @SuppressWarnings("unchecked")
  void aStatementGivesTheRowsThatThePythonPackageGives(
      String sql, String setup, Map<String, Object> expected) throws Exception {
    TestEngine engine = new TestEngine(root);

    Map<String, Object> value =
        Json.object(new SqlQuery(engine.open()).run(engine.query(setup + ";\n" + sql, null)));

    Map<String, Object> table = (Map<String, Object>) value.get("table");
    List<Object> columns =
        ((List<Map<String, Object>>) table.get("columns"))
            .stream().map(column -> column.get("name")).toList();
    assertThat(columns).isEqualTo(expected.get("columns"));
    List<Object> rows = (List<Object>) table.get("rows");
    assertThat(Json.plain(rows)).isEqualTo(Json.plain(expected.get("rows")));
    assertThat(table).containsEntry("totalRows", (long) rows.size());
  }
}
