package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.token.TokenEstimate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text about code mode says what is there. */
class CodeModeTextTest {
  private static final Path RUNNER = Path.of("../images/runner");
  private static final Path LIBRARY = RUNNER.resolve("library/src/orchestrator/mcp");
  private static final Map<String, List<String>> FUNCTIONS =
      Map.of(
          "data", List.of("load_csv", "load_sql", "validate_schema"),
          "analytics", List.of("describe_data", "detect_drift"),
          "models", List.of("evaluate_model", "train_prophet"),
          "viz", List.of("plot_distribution", "generate_report"));

  private static String source(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The signature of a function without its types, in one line. */
  private static String signature(String module, String function) {
    Matcher head =
        Pattern.compile("(?ms)^def " + function + "\\((.*?)\\)\\s*->")
            .matcher(source(LIBRARY.resolve(module + ".py")));
    assertThat(head.find()).as(module + "." + function).isTrue();
    String parameters =
        head.group(1)
            .replaceAll("#[^\\n]*", "")
            .replaceAll("\\s+", " ")
            .replaceAll(
                ": (?:[^,=\\[\\]]|\\[[^\\[\\]]*(?:\\[[^\\[\\]]*\\][^\\[\\]]*)*\\])+?(?= =|,|$)", "")
            .replace(" = ", "=")
            .strip()
            .replaceAll(",$", "");
    return module + "." + function + "(" + parameters + ")";
  }

  @ParameterizedTest
  @CsvSource({"data", "analytics", "models", "viz"})
  void theSignaturesAreThoseOfTheLibrary(String module) {
    for (String function : FUNCTIONS.get(module)) {
      assertThat(CodeModeText.of(List.of())).contains(signature(module, function));
    }
  }

  @Test
  void theFunctionsAreAllThatTheLibraryHas() {
    String text = CodeModeText.of(List.of());
    assertThat(text.lines().filter(line -> line.matches("(data|analytics|models|viz)\\..*")))
        .hasSize(9);
    FUNCTIONS.forEach(
        (module, functions) ->
            assertThat(
                    Pattern.compile("(?m)^def ([a-z]\\w*)\\(")
                        .matcher(source(LIBRARY.resolve(module + ".py")))
                        .results()
                        .map(found -> found.group(1)))
                .as(module)
                .containsExactlyInAnyOrderElementsOf(functions));
  }

  @Test
  void theGuardAllowsEachModuleThatTheTextNames() {
    Matcher list =
        Pattern.compile("(?s)ALLOWED_MODULES = frozenset\\((.*?)\\n\\)")
            .matcher(source(RUNNER.resolve("src/assay_runner/guard.py")));
    assertThat(list.find()).isTrue();
    TreeSet<String> allowed =
        Pattern.compile("\"(\\w+)\"")
            .matcher(list.group(1))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    allowed.removeAll(List.of("__future__", "orchestrator"));

    assertThat(allowed).containsAll(CodeModeText.MODULES);
    assertThat(CodeModeText.of(List.of("requests")))
        .contains("statistics, requests, and common modules of the standard library");
    assertThat(CodeModeText.MODULES).contains("pandas", "polars", "duckdb");
    assertThat(CodeModeText.of(Collections.nCopies(23, "m")))
        .contains(", m and 3 more, and common");
  }

  @Test
  void itFitsFourHundredTokens() {
    int tokens = TokenEstimate.of(CodeModeText.of(List.of()));
    System.out.println("code mode: about " + tokens + " tokens");

    assertThat(tokens).isLessThanOrEqualTo(400);
  }
}
