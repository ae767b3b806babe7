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

/** Cells and statistics of SQL, by the table that the engines of Python are tested with, too. */
class SharedCellsTest {
  @TempDir private Path root;

  @SuppressWarnings("unchecked")
  static Stream<Arguments> cases() throws Exception {
    String text = Files.readString(Path.of("../protocol/cells.json"));
    return ((List<Map<String, Object>>) Json.object("{\"cases\":" + text + "}").get("cases"))
        .stream().map(one -> Arguments.of(one.get("name"), one));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @SuppressWarnings("unchecked")
  void cellsAreThoseOfTheTable(String name, Map<String, Object> expected) throws Exception {
    TestEngine engine = new TestEngine(root);
    String sql = String.valueOf(expected.get("sql"));
    Map<String, Object> value =
        Json.object(new SqlQuery(engine.open()).run(engine.query(sql, null)));
    Map<String, Object> table = (Map<String, Object>) value.get("table");
    List<Object> cells =
        ((List<List<Object>>) table.get("rows")).stream().map(List::getLast).toList();
    assertThat(Json.plain(cells)).isEqualTo(Json.plain(expected.get("cells")));
    if (expected.get("statistics") instanceof Map<?, ?> statistics) {
      Map<String, Object> summary = ((List<Map<String, Object>>) value.get("summary")).getLast();
      summary.keySet().retainAll(statistics.keySet());
      assertThat(Json.plain(summary)).isEqualTo(Json.plain(statistics));
    }
  }
}
