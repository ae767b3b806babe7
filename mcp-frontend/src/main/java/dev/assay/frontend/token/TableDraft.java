package dev.assay.frontend.token;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A table that rows are added to as long as there is room. */
final class TableDraft {
  private final List<String> names;
  private final int columns;
  private final int width;
  private final StringBuilder csv = new StringBuilder();
  private final List<List<@Nullable Object>> rows = new ArrayList<>();
  private final TreeSet<Integer> shortened = new TreeSet<>();
  private int tokens;

  /**
   * A table without rows.
   *
   * @param names of all columns
   * @param columns how many of them are shown
   * @param width characters of the longest cell
   */
  TableDraft(List<String> names, int columns, int width) {
    this.names = names;
    this.columns = columns;
    this.width = width;
    append(CsvText.line(names.subList(0, columns)));
  }

  int tokens() {
    return tokens;
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Adds rows up to a number of tokens; returns whether all had room. */
  boolean add(List<? extends List<? extends @Nullable Object>> more, int maxTokens) {
    for (List<? extends @Nullable Object> row : more) {
      List<@Nullable Object> cells = cells(row);
      String line = CsvText.line(cells);
      if (tokens + TokenEstimate.of(line) > maxTokens) {
        return false;
      }
      add(row, cells, line);
    }
    return true;
  }

  /** Adds a row, whether or not there is room. */
  void add(List<? extends @Nullable Object> row) {
    List<@Nullable Object> cells = cells(row);
    add(row, cells, CsvText.line(cells));
  }

  private void add(
      List<? extends @Nullable Object> row, List<@Nullable Object> cells, String line) {
    for (int i = 0; i < columns; i++) {
      if (!Objects.equals(cells.get(i), row.get(i))) {
        shortened.add(i);
      }
    }
    rows.add(Collections.unmodifiableList(cells));
    append(line);
  }

  private List<@Nullable Object> cells(List<? extends @Nullable Object> row) {
    List<@Nullable Object> cells = new ArrayList<>(columns);
    for (int i = 0; i < columns; i++) {
      cells.add(Cell.shortened(row.get(i), width));
    }
    return cells;
  }

  private void append(String line) {
    csv.append(line);
    tokens += TokenEstimate.of(line);
  }

  /**
   * The table as it is.
   *
   * @param allRows how many rows there are
   */
  FittedTable fitted(int allRows) {
    return new FittedTable(
        names.subList(0, columns),
        rows,
        allRows - rows.size(),
        names.size() - columns,
        shortened.stream().map(names::get).toList(),
        csv.toString());
  }
}
