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
  StoredTables NONE = (run, offset, limit, memory) -> Optional.empty();

  /**
   * A part of that of a run; empty where it has returned none, or it is not stored any more.
   *
   * @param offset the first row's number, from 0
   * @param limit how many rows at most
   */
  Optional<Part> of(AnalyticsRun run, int offset, int limit, CallMemory memory)
      throws InterruptedException;

  /**
   * A part of a table.
   *
   * @param columns different names
   * @param rows from the offset on, each with a cell for each column; not more than were asked for
   * @param storedRows how many can be read
   * @param totalRows of the complete result
   * @param warnings of the result
   */
  record Part(
      List<String> columns,
      List<List<@Nullable Object>> rows,
      int storedRows,
      long totalRows,
      List<String> warnings) {
    /** A part of rows that are all there. */
    public static Part of(
        List<String> columns,
        List<List<@Nullable Object>> all,
        long totalRows,
        List<String> warnings,
        int offset,
        int limit) {
      int begin = Math.min(offset, all.size());
      return new Part(
          columns,
          all.subList(begin, begin + Math.min(limit, all.size() - begin)),
          all.size(),
          totalRows,
          warnings);
    }
  }
}
