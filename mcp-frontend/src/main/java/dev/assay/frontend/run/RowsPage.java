package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.frontend.token.FittedTable;
import dev.assay.frontend.token.TableFitting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
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
 * @param warnings of the result, and what of these rows is left out or shortened; absent where
 *     there is none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RowsPage(
    List<String> columns,
    List<List<@Nullable Object>> rows,
    int offset,
    int storedRows,
    long totalRows,
    @Nullable Integer nextOffset,
    @Nullable List<String> warnings) {
  /** A page with its text. */
  record Shown(RowsPage page, String text) {}

  /** As many rows from an offset on as were asked for and have room. */
  static Shown of(String run, StoredTables.Part table, int offset, int limit, int tokens) {
    int stored = table.storedRows();
    FittedTable fitted = TableFitting.fit(table.columns(), table.rows(), limit, tokens);
    int end = Math.min(offset, stored) + fitted.rows().size();
    List<String> warnings = new ArrayList<>(table.warnings());
    warnings.addAll(fitted.warnings());
    RowsPage page =
        new RowsPage(
            fitted.columns(),
            fitted.rows(),
            offset,
            stored,
            table.totalRows(),
            end < stored ? (Integer) end : null,
            warnings.isEmpty() ? null : warnings);
    String lines =
        warnings.stream().map(line -> "warning: " + line + "\n").collect(Collectors.joining());
    return new Shown(page, page.header(run, end, limit) + lines + fitted.csv());
  }

  private String header(String run, int end, int limit) {
    return "Rows "
        + offset
        + " to "
        + Math.max(offset, end)
        + " of "
        + totalRows
        + (storedRows < totalRows ? ", of which " + storedRows + " are stored" : "")
        + (nextOffset == null
            ? ""
            : "; get_run(name=\"%s\", rows={\"offset\": %d, \"limit\": %d}) continues"
                .formatted(run, nextOffset, limit))
        + "\n";
  }
}
