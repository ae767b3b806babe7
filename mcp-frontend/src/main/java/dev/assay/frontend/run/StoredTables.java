package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallMemory;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tables that runs have returned, as far as they are stored. */
@FunctionalInterface
public interface StoredTables {
  /** No run has one. */
  StoredTables NONE = (run, memory) -> Optional.empty();

  /** That of a run; empty where it has returned none, or it is not stored any more. */
  Optional<Table> of(AnalyticsRun run, CallMemory memory) throws InterruptedException;

  /**
   * A table.
   *
   * @param columns different names
   * @param rows those that are stored, each with a cell for each column
   * @param totalRows of the complete result
   */
  record Table(List<String> columns, List<List<@Nullable Object>> rows, long totalRows) {}
}
