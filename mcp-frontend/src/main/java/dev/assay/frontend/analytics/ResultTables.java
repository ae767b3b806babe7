package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.run.StoredTables;
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
    @Nullable TableValue table;
    try {
      table = AnalyticsValue.read(found.json()).table();
    } catch (InvalidValueException e) {
      return Optional.empty();
    }
    if (table == null) {
      return Optional.empty();
    }
    Optional<Part> stored =
        table.rows().size() < table.totalRows()
            ? stored(run, table, offset, limit)
            : Optional.empty();
    return Optional.of(
        stored.orElseGet(
            () -> Part.of(table.names(), table.rows(), table.totalRows(), offset, limit)));
  }

  /** From the artifact; empty where there is none that can be read. */
  private Optional<Part> stored(AnalyticsRun run, TableValue table, int offset, int limit)
      throws InterruptedException {
    Optional<Artifact> artifact = Artifact.find(run, Artifact.ROWS);
    if (artifact.isEmpty()) {
      return Optional.empty();
    }
    RowLines lines = new RowLines(table.columns().size(), offset, limit);
    try {
      artifacts.readAll(run, artifact.get(), lines::take);
      return Optional.of(new Part(table.names(), lines.rows(), lines.count(), table.totalRows()));
    } catch (ArtifactReader.UnreadableException | InvalidValueException e) {
      log.warn(
          "the rows of run {} cannot be used: {}", run.getMetadata().getName(), e.getMessage());
      return Optional.empty();
    }
  }
}
