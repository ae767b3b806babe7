package dev.assay.frontend.token;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table, or what there was room for.
 *
 * @param columns names of the columns that are shown
 * @param rows each with a cell for each of them
 * @param omittedRows of those that there are here: the caller may know of more
 * @param omittedColumns the last ones
 * @param shortened names of the columns with cells that were shortened
 * @param csv the same as text, with a line of names
 */
public record FittedTable(
    List<String> columns,
    List<List<@Nullable Object>> rows,
    int omittedRows,
    int omittedColumns,
    List<String> shortened,
    String csv) {
  private static final int MAX_NAMED = 20;
  private static final int MAX_NAMES_TOKENS = 100;

  public FittedTable {
    columns = List.copyOf(columns);
    // Cells may be null, which List.copyOf refuses.
    rows = Collections.unmodifiableList(new ArrayList<>(rows));
    shortened = List.copyOf(shortened);
  }

  /** Whether nothing is left out or shortened. */
  public boolean isComplete() {
    return omittedRows == 0 && omittedColumns == 0 && shortened.isEmpty();
  }

  /** What is left out or shortened beside rows, a sentence each. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (omittedColumns > 0) {
      warnings.add("the last " + omittedColumns + " columns are left out");
    }
    if (!shortened.isEmpty()) {
      warnings.add("long values are shortened in: " + shown(shortened));
    }
    return warnings;
  }

  /** The first of some names, and an ellipsis where there are more. */
  public static String shown(List<String> names) {
    String all = String.join(", ", names.stream().limit(MAX_NAMED).toList());
    int end = TokenEstimate.prefix(all, MAX_NAMES_TOKENS);
    return end < all.length() || names.size() > MAX_NAMED ? all.substring(0, end) + ", …" : all;
  }

  /** Of the text. */
  public int tokens() {
    return TokenEstimate.of(csv);
  }
}
