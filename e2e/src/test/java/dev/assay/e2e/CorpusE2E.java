package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Every file of the corpus: {@code df} in a run is the frame that pandas reads elsewhere, or the
 * dataset fails as pandas does. The expected results are stored with the files.
 */
@Full
@Warm
class CorpusE2E {
  /** The number of datasets that may load at once, and that one run can have. */
  private static final int AT_ONCE = 12;

  private static final String PRINT_ALL =
      """

      for name in datasets:
          print(name, len(datasets[name]), datasets[name].shape[1], fingerprint(datasets[name]))
      """;

  @Test
  void eachFileIsWhatPandasMakesOfIt(Assay assay) throws IOException {
    Map<String, CorpusFile> files = new LinkedHashMap<>();
    CorpusFile.all(assay).forEach(file -> files.put("corpus-" + files.size(), file));
    String fingerprint = Files.readString(CorpusFile.folder(assay).resolve("fingerprint.py"));
    try {
      List<String> differing = new ArrayList<>();
      StringBuilder table =
          new StringBuilder("| file | format | rows | columns | result |\n|---|---|---|---|---|\n");
      for (Row row : rows(assay, files, fingerprint)) {
        table.append(row.line()).append('\n');
        if (!row.asExpected()) {
          differing.add(row.line());
        }
      }
      Files.writeString(Path.of("target", "corpus.md"), table);
      assertThat(files).hasSizeGreaterThan(200);
      assertThat(differing).isEmpty();
    } finally {
      assay.deleteDatasets(files.keySet());
      files.forEach((name, file) -> file.removeClass(assay, name));
    }
  }

  /** One file's line of the table. */
  private record Row(String line, boolean asExpected) {
    static Row of(JsonNode expected, String rows, String columns, String result, boolean same) {
      return new Row(
          "| "
              + String.join(
                  " | ",
                  expected.path("file").asText(),
                  expected.path("source").path("format").asText(),
                  rows,
                  columns,
                  (same ? "" : "DIFFERS: ") + result.replace("|", "\\|"))
              + " |",
          same);
    }
  }

  /** The rows of all files, first those that are refused. */
  private static List<Row> rows(Assay assay, Map<String, CorpusFile> files, String fingerprint) {
    List<Row> rows = new ArrayList<>();
    // Before the first run: when the Pod of a dataset finds no room, the operator empties the warm
    // pools of the namespace for minutes.
    List<String> ready = new ArrayList<>();
    inBatches(files.keySet(), names -> ready.addAll(loaded(assay, files, names, rows)));
    inBatches(
        ready,
        names ->
            printed(assay, names, fingerprint)
                .forEach(
                    (name, printed) ->
                        rows.add(compared(requireNonNull(files.get(name)).expected(), printed))));
    return rows;
  }

  private static void inBatches(Collection<String> names, Consumer<List<String>> action) {
    List<String> all = List.copyOf(names);
    for (int first = 0; first < all.size(); first += AT_ONCE) {
      action.accept(all.subList(first, Math.min(first + AT_ONCE, all.size())));
    }
  }

  /** The names of the datasets that have loaded; adds a row for each of the others. */
  private static List<String> loaded(
      Assay assay, Map<String, CorpusFile> files, List<String> names, List<Row> rows) {
    names.forEach(name -> requireNonNull(files.get(name)).create(assay, name));
    List<String> ready = new ArrayList<>();
    for (String name : names) {
      DatasetStatus status = assay.awaitSettled(name);
      if (status.phase() == DatasetPhase.Ready) {
        ready.add(name);
      } else {
        JsonNode expected = requireNonNull(files.get(name)).expected();
        rows.add(refused(expected, String.valueOf(status.message())));
      }
    }
    return ready;
  }

  private static Map<String, String[]> printed(
      Assay assay, List<String> names, String fingerprint) {
    Map<String, Object> arguments =
        Map.of(
            "dataset_name",
            names.getFirst(),
            "datasets",
            names.subList(1, names.size()),
            "python_code",
            fingerprint + PRINT_ALL,
            "run_class",
            "python-large",
            "timeout_seconds",
            300);
    Reply reply = WarmCalls.await(assay, () -> assay.call(Assay.TOOL, arguments));
    assertThat(reply.isError()).as(reply.text()).isFalse();
    Map<String, String[]> printed = new LinkedHashMap<>();
    reply.text().lines().map(line -> line.split(" ", -1)).forEach(p -> printed.put(p[0], p));
    assertThat(printed).containsOnlyKeys(names);
    return printed;
  }

  private static Row compared(JsonNode expected, String[] printed) {
    boolean same = expected.path("fingerprint").asText("none").equals(printed[3]);
    return Row.of(expected, printed[1], printed[2], same ? "as pandas" : "another frame", same);
  }

  private static Row refused(JsonNode expected, String message) {
    boolean same = message.startsWith(expected.path("error").asText("none") + ": ");
    return Row.of(expected, "-", "-", message, same);
  }
}
