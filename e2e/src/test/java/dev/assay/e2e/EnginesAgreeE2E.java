package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * pandas, SQL and Polars return the same values of each column of a dataset, but for the
 * differences in docs/datasets.md.
 */
class EnginesAgreeE2E {
  private static final int DATASETS_AT_ONCE = 12;
  private static final int CALLS_AT_ONCE = 4;
  private static final int ROWS = 50;

  @Test
  @Core
  void someFilesAreTheSameInAllEngines(Assay assay) throws Exception {
    List<CorpusFile> files =
        List.of(
                "blank headers.csv",
                "dates with gaps.csv",
                "random cells.csv",
                "nested.json",
                "rich.parquet",
                "vega_datasets-cars.json")
            .stream()
            .map(name -> CorpusFile.named(assay, name))
            .toList();

    assertThat(differences(assay, files)).isEmpty();
  }

  @Test
  @Full
  void allFilesAreTheSameInAllEngines(Assay assay) throws Exception {
    List<CorpusFile> files = CorpusFile.all(assay).stream().filter(CorpusFile::isReadable).toList();
    assertThat(files).hasSizeGreaterThan(150);

    List<String> found = differences(assay, files);

    Files.write(Path.of("target", "engines-agree.md"), found);
    assertThat(found).isEmpty();
  }

  private static List<String> differences(Assay assay, List<CorpusFile> files)
      throws InterruptedException, ExecutionException {
    List<String> found = new ArrayList<>();
    for (int first = 0; first < files.size(); first += DATASETS_AT_ONCE) {
      List<CorpusFile> batch =
          files.subList(first, Math.min(first + DATASETS_AT_ONCE, files.size()));
      Map<String, CorpusFile> byDataset = new LinkedHashMap<>();
      batch.forEach(file -> byDataset.put("agree_" + byDataset.size(), file));
      byDataset.forEach((dataset, file) -> file.create(assay, dataset));
      found.addAll(compareEach(assay, byDataset));
    }
    return found;
  }

  private static List<String> compareEach(Assay assay, Map<String, CorpusFile> byDataset)
      throws InterruptedException, ExecutionException {
    List<String> found = new ArrayList<>();
    try (ExecutorService calls = Executors.newFixedThreadPool(CALLS_AT_ONCE)) {
      List<Callable<List<String>>> comparisons = new ArrayList<>();
      byDataset.forEach(
          (dataset, file) ->
              comparisons.add(
                  () ->
                      compare(assay, dataset).stream()
                          .map(difference -> file.name() + ": " + difference)
                          .toList()));
      for (Future<List<String>> comparison : calls.invokeAll(comparisons)) {
        found.addAll(comparison.get());
      }
    }
    return found;
  }

  private static List<String> compare(Assay assay, String dataset) throws IOException {
    DatasetStatus status = assay.awaitSettled(dataset);
    if (status.phase() != DatasetPhase.Ready) {
      return List.of("not loaded: " + status.message());
    }
    Snapshot snapshot = requireNonNull(status.snapshot());
    if (snapshot.columnCount() == 0) {
      // There is no table.
      return List.of();
    }
    EngineRows sql = rows(Query.sql(assay, "FROM %s LIMIT %d".formatted(dataset, ROWS), dataset));
    EngineRows polars = rows(Query.polars(assay, "df.head(%d)".formatted(ROWS), dataset));
    EngineRows pandas =
        rows(
            Query.python(assay, "df.head(%d).reset_index(drop=True)".formatted(ROWS), dataset)
                .with("run_class", "python-large"));
    List<String> found = new ArrayList<>();
    sql.differencesFrom(polars, Set.of(), EngineRows.Engine.POLARS)
        .forEach(text -> found.add("Polars: " + text));
    withoutIndex(sql, snapshot)
        .differencesFrom(pandas, storedAsText(snapshot), EngineRows.Engine.PANDAS)
        .forEach(text -> found.add("pandas: " + text));
    return found;
  }

  /** The index of a frame is columns of its table. */
  private static EngineRows withoutIndex(EngineRows table, Snapshot snapshot) {
    List<SnapshotColumn> columns = requireNonNull(snapshot.columns());
    return snapshot.columnCount() == columns.size()
        ? table.select(columns.stream().map(EnginesAgreeE2E::tableName).toList())
        : table;
  }

  private static Set<String> storedAsText(Snapshot snapshot) {
    return requireNonNull(snapshot.columns()).stream()
        .filter(column -> column.storedAs() != null)
        .map(EnginesAgreeE2E::tableName)
        .collect(Collectors.toSet());
  }

  private static String tableName(SnapshotColumn column) {
    return requireNonNullElse(column.tableName(), column.name());
  }

  private static EngineRows rows(Query query) {
    JsonNode result =
        query
            .with("return_limit", ROWS)
            .with("max_tokens", 20_000)
            .with("timeout_seconds", 120)
            .result();
    return EngineRows.of(result);
  }
}
