package dev.assay.frontend.analytics;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a file with one row a line, which anybody may have written. The file comes in
 * pieces, and only the rows that are wanted are kept.
 */
final class RowLines {
  private static final int MAX_LINE = 1 << 20;

  /** Of the lines that are kept; the rows that follow are on the next page. */
  private static final int MAX_KEPT = 512 * 1024;

  private static final int MAX_ROWS = 10_000;

  private final int cells;
  private final int first;
  private final int limit;
  private final List<List<@Nullable Object>> rows = new ArrayList<>();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int count;
  private int kept;

  /**
   * Rows of a file.
   *
   * @param cells of each row
   * @param first number of the first row that is wanted, from 0
   * @param limit how many are wanted
   */
  RowLines(int cells, int first, int limit) {
    this.cells = cells;
    this.first = first;
    this.limit = limit;
  }

  /**
   * Takes the next piece.
   *
   * @throws InvalidValueException where a row that is wanted is none, or a line is too long
   */
  boolean take(byte[] piece) {
    int begin = 0;
    for (int at = 0; at < piece.length; at++) {
      if (piece[at] == '\n') {
        append(piece, begin, at);
        end();
        begin = at + 1;
      }
    }
    append(piece, begin, piece.length);
    return true;
  }

  private void append(byte[] piece, int from, int to) {
    if (line.size() + to - from > MAX_LINE) {
      throw new InvalidValueException("a row has more than " + MAX_LINE + " bytes");
    }
    if (isWanted()) {
      line.write(piece, from, to - from);
    }
  }

  private boolean isWanted() {
    return count >= first && count - first == rows.size() && rows.size() < limit;
  }

  private void end() {
    if (count >= MAX_ROWS) {
      throw new InvalidValueException("there are more than " + MAX_ROWS + " rows");
    }
    boolean hasRoom = rows.isEmpty() || kept + line.size() <= MAX_KEPT;
    if (isWanted() && hasRoom) {
      kept += line.size();
      rows.add(ValueReader.row(line.toByteArray(), cells));
    }
    line.reset();
    count++;
  }

  /** The rows that are wanted, as far as they have room. */
  List<List<@Nullable Object>> rows() {
    return rows;
  }

  /** How many rows the file has, after its last piece. */
  int count() {
    return count;
  }
}
