package dev.assay.frontend.token;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a table fit: cells are shortened first, the longest the most, then rows are left out from
 * the end, and columns only where not even one row has room. At least one column and one row are
 * shown.
 */
public final class TableFitting {
  private static final int[] WIDTHS = {Integer.MAX_VALUE, 256, 128, 64, 40, 24};
  private static final int NARROWEST = WIDTHS[WIDTHS.length - 1];
  private static final int MAX_NAME = 128;

  private TableFitting() {}

  /** A table within a budget, which rows give way to. */
  public static FittedTable fit(
      List<String> columns,
      List<? extends List<? extends @Nullable Object>> rows,
      int limitRows,
      int tokens) {
    return fit(columns, rows, TableBudget.bending(limitRows, tokens));
  }

  /**
   * A table within a budget.
   *
   * @param rows each with a cell for each column
   */
  public static FittedTable fit(
      List<String> columns,
      List<? extends List<? extends @Nullable Object>> rows,
      TableBudget budget) {
    var wanted = rows.subList(0, Math.min(rows.size(), budget.rows()));
    List<String> names = names(columns);
    for (int width : WIDTHS) {
      TableDraft draft = new TableDraft(names, names.size(), width);
      if (draft.tokens() <= budget.tokens() && draft.add(wanted, budget.tokens())) {
        return draft.fitted(rows.size());
      }
    }
    int shown = columnsWithRoom(names, wanted, budget.maxTokens());
    TableDraft draft = new TableDraft(names, shown, NARROWEST);
    if (!draft.add(wanted, budget.maxTokens()) && draft.isEmpty()) {
      draft.add(wanted.getFirst());
    }
    return draft.fitted(rows.size());
  }

  /** How many columns leave room for one row, at least one. */
  private static int columnsWithRoom(
      List<String> names, List<? extends List<? extends @Nullable Object>> rows, int tokens) {
    var first = rows.subList(0, Math.min(1, rows.size()));
    int low = Math.min(1, names.size());
    int high = names.size();
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      TableDraft draft = new TableDraft(names, middle, NARROWEST);
      if (draft.tokens() <= tokens && draft.add(first, tokens)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Names of a bearable length; the number of the column keeps them apart. */
  private static List<String> names(List<String> columns) {
    List<String> names = new ArrayList<>(columns.size());
    for (String column : columns) {
      names.add(
          column.length() <= MAX_NAME
              ? column
              : Cell.shortened(column, MAX_NAME) + (names.size() + 1));
    }
    return names;
  }
}
