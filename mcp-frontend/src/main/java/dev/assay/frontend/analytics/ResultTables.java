package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.run.StoredTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of queries and samples, for further rows of them. A value has the first rows; the
 * artifact beside it has up to 10,000.
 */
public final class ResultTables implements StoredTables {
  private static final Logger log = LoggerFactory.getLogger(ResultTables.class);

  private final RunValues values;
  private final ArtifactReader artifacts;

  public ResultTables(RunValues values, ArtifactReader artifacts) {
    this.values = values;
    this.artifacts = artifacts;
  }

  @Override
  public Optional<Part> of(AnalyticsRun run, int offset, int limit, CallMemory memory)
      throws InterruptedException {
    if (!(values.of(run, memory) instanceof RunValues.Found found)) {
      return Optional.empty();
    }
    AnalyticsValue value;
    try {
      value = AnalyticsValue.read(found.json());
    } catch (InvalidValueException e) {
      return Optional.empty();
    }
    @Nullable TableValue table = value.table();
    if (table == null) {
      return Optional.empty();
    }
    List<String> warnings = new ArrayList<>(value.warnings());
    Optional<Artifact> artifact =
        table.rows().size() < table.totalRows()
            ? Artifact.find(run, Artifact.ROWS)
            : Optional.empty();
    if (artifact.isPresent()) {
      Optional<Part> stored = stored(run, artifact.get(), table, warnings, offset, limit);
      if (stored.isPresent()) {
        return stored;
      }
      warnings.add("not all stored rows can be read now: retry");
    }
    return Optional.of(
        Part.of(table.names(), table.rows(), table.totalRows(), warnings, offset, limit));
  }

  /** From the artifact; empty where it cannot be read. */
  private Optional<Part> stored(
      AnalyticsRun run,
      Artifact artifact,
      TableValue table,
      List<String> warnings,
      int offset,
      int limit)
      throws InterruptedException {
    RowLines lines = new RowLines(table.columns().size(), offset, limit);
    try {
      artifacts.readAll(run, artifact, lines::take);
      return Optional.of(
          new Part(table.names(), lines.rows(), lines.count(), table.totalRows(), warnings));
    } catch (ArtifactReader.UnreadableException | InvalidValueException e) {
      log.warn(
          "the rows of run {} cannot be used: {}", run.getMetadata().getName(), e.getMessage());
      return Optional.empty();
    }
  }
}
