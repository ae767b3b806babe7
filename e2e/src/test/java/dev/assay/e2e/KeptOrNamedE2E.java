package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Small files with what real ones have in them: each is loaded so that SQL, Polars and pandas see
 * the same values and the notes have the codes of what was changed, or fails with what mends it.
 */
@FullEverywhere
class KeptOrNamedE2E {
  private static final int MAX_FILES_OF_A_QUERY = 16;

  @Test
  void eachValueIsKeptOrNamed(Assay assay) {
    List<JsonNode> files = SourceFile.listed("kept-or-named.json");
    Map<String, JsonNode> loaded = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    for (JsonNode file : files) {
      String dataset = "kept_" + files.indexOf(file);
      JsonNode found = SourceFile.upload(assay, dataset, file);
      if (file.has("fails")) {
        String message = found.path("message").asText();
        if (!message.contains(file.path("fails").asText())) {
          wrong.add(file.path("name").asText() + ": " + found);
        }
        continue;
      }
      compare(wrong, file, "notes", found.path("notes").findValuesAsText("code"));
      if (!file.path("rows").isEmpty()) {
        loaded.put(dataset, file);
      }
    }
    List<String> datasets = List.copyOf(loaded.keySet());
    for (int first = 0; first < datasets.size(); first += MAX_FILES_OF_A_QUERY) {
      List<String> some =
          datasets.subList(first, Math.min(first + MAX_FILES_OF_A_QUERY, datasets.size()));
      Map<String, List<String>> sql = rows(Query.of(assay, "sql", sql(some), some));
      Map<String, List<String>> polars = rows(Query.of(assay, "polars_expr", polars(some), some));
      Map<String, List<String>> pandas = rows(Query.of(assay, "python", pandas(some), some));
      for (String dataset : some) {
        JsonNode file = loaded.get(dataset);
        compare(wrong, file, "rows", sql.get(dataset));
        compare(wrong, file, file.has("polars") ? "polars" : "rows", polars.get(dataset));
        compare(wrong, file, file.has("pandas") ? "pandas" : "rows", pandas.get(dataset));
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Queries whose answer would be another one than what was asked for. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("traps")
  void aQueryAnswersWhatWasAskedOrSaysWhyNot(String name, JsonNode steps, Assay assay) {
    var unused = Steps.run(assay, steps);
  }

  static Stream<Arguments> traps() {
    return SourceFile.listed("query-traps.json").stream()
        .map(trap -> Arguments.of(trap.path("name").asText(), trap.path("steps")));
  }

  private static void compare(List<String> wrong, JsonNode file, String member, Object found) {
    List<String> expected = new ArrayList<>();
    file.path(member).forEach(text -> expected.add(text.asText()));
    if (!expected.equals(found)) {
      wrong.add("%s: %s: %s, not %s".formatted(file.path("name"), member, found, expected));
    }
  }

  private static Map<String, List<String>> rows(Query query) {
    return query.with("return_limit", 200).rows().stream()
        .collect(
            Collectors.groupingBy(
                row -> row.getFirst().asText(),
                Collectors.mapping(row -> row.getLast().asText(), Collectors.toList())));
  }

  private static String sql(List<String> datasets) {
    return datasets.stream()
        .map("SELECT '%1$s' AS d, CAST(to_json(%1$s) AS VARCHAR) AS r FROM %1$s"::formatted)
        .collect(Collectors.joining(" UNION ALL "));
  }

  private static String polars(List<String> datasets) {
    return datasets.stream()
        .map("%1$s.select(d=pl.lit('%1$s'), r=pl.struct(pl.all()).struct.json_encode())"::formatted)
        .collect(Collectors.joining(", ", "pl.concat([", "])"));
  }

  private static String pandas(List<String> datasets) {
    String frames =
        datasets.stream().map("'%1$s': %1$s"::formatted).collect(Collectors.joining(", "));
    return """
        import json
        def text(row):
            return json.dumps(row, default=str, ensure_ascii=False, separators=(',', ':'))
        frames = {%s}
        result = [[d, text(row)] for d, frame in frames.items() for row in frame.to_dict('records')]
        """
        .formatted(frames);
  }
}
