package dev.assay.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A table whose columns fit their content, as kubectl prints it. */
public final class Table {
  private static final int GAP = 3;

  private final List<List<String>> rows = new ArrayList<>();

  public Table(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row of as many cells as there are headings. */
  public void add(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException("a row of " + cells.length + " cells");
    }
    rows.add(Stream.of(cells).map(Table::onOneLine).toList());
  }

  private static String onOneLine(String cell) {
    return TerminalText.printable(cell).replace('\n', ' ');
  }

  /** The lines, without trailing blanks. */
  public List<String> lines() {
    int[] widths =
        IntStream.range(0, rows.getFirst().size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = row.get(column);
      line.append(cell).append(" ".repeat(widths[column] - cell.length() + GAP));
    }
    return line.toString().stripTrailing();
  }
}
