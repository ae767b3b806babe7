package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.frontend.token.FittedTable;
import dev.assay.frontend.token.TableFitting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a stored table.
 *
 * @param columns names
 * @param rows each with a cell for each of the columns; long cells are shortened
 * @param offset the first row's number, from 0
 * @param storedRows how many can be read
 * @param totalRows of the complete result
 * @param nextOffset the row that follows; absent where none is stored
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RowsPage(
    List<String> columns,
    List<List<@Nullable Object>> rows,
    int offset,
    int storedRows,
    long totalRows,
    @Nullable Integer nextOffset) {
  /** A page with its text. */
  record Shown(RowsPage page, String text) {}

  /** As many rows from an offset on as were asked for and have room. */
  static Shown of(String run, StoredTables.Part table, int offset, int limit, int tokens) {
    int stored = table.storedRows();
    FittedTable fitted = TableFitting.fit(table.columns(), table.rows(), limit, tokens);
    int end = Math.min(offset, stored) + fitted.rows().size();
    RowsPage page =
        new RowsPage(
            fitted.columns(),
            fitted.rows(),
            offset,
            stored,
            table.totalRows(),
            end < stored ? (Integer) end : null);
    return new Shown(page, page.header(run, end, limit, fitted.omittedColumns()) + fitted.csv());
  }

  private String header(String run, int end, int limit, int omittedColumns) {
    return "Rows "
        + offset
        + " to "
        + Math.max(offset, end)
        + " of "
        + totalRows
        + (storedRows < totalRows ? ", of which " + storedRows + " are stored" : "")
        + (omittedColumns > 0 ? "; the last " + omittedColumns + " columns are left out" : "")
        + (nextOffset == null
            ? ""
            : "; get_run(name=\"%s\", rows={\"offset\": %d, \"limit\": %d}) continues"
                .formatted(run, nextOffset, limit))
        + "\n";
  }
}
