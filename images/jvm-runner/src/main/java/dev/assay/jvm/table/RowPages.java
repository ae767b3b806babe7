package dev.assay.jvm.table;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the rows of a relation as JSON arrays, page by page. */
public final class RowPages {
  /**
   * How much the driver may copy at once. Each page plans the query again, which is slow for wide
   * tables: so few, large pages.
   */
  private static final long MAX_BYTES_AT_ONCE = 32L * 1024 * 1024;

  private RowPages() {}

  /** Takes rows. */
  @FunctionalInterface
  public interface Sink<E extends Exception> {
    /**
     * Takes the next row.
     *
     * @param row a JSON array
     * @param shortened names of the columns whose value was shortened
     * @return false if no further row is wanted
     */
    boolean take(String row, Set<String> shortened) throws E;
  }

  /**
   * Reads the first rows.
   *
   * @param relation a quoted name, or a query in parentheses, whose rows keep their order when it
   *     is read again
   * @param columns those to read
   */
  public static <E extends Exception> void read(
      Connection connection, String relation, List<Column> columns, int maxRows, Sink<E> sink)
      throws SQLException, E {
    if (columns.isEmpty()) {
      return;
    }
    List<ColumnReader> readers = ColumnReader.of(columns);
    String query =
        readers.stream()
            .flatMap(reader -> reader.expressions().stream())
            .collect(Collectors.joining(", ", "SELECT ", " FROM " + relation));
    long rowBytes = readers.stream().mapToLong(ColumnReader::usualBytes).sum();
    int page = Math.clamp(MAX_BYTES_AT_ONCE / rowBytes, 1, TableReader.MAX_ROWS);
    int offset = 0;
    int found = page;
    try (Statement statement = connection.createStatement()) {
      while (found == page && offset < maxRows) {
        int wanted = Math.min(page, maxRows - offset);
        found = page(statement, query + " LIMIT " + wanted + " OFFSET " + offset, readers, sink);
        offset += found;
      }
    }
  }

  /** Returns how many rows there are; -1 if no further one is wanted. */
  private static <E extends Exception> int page(
      Statement statement, String query, List<ColumnReader> readers, Sink<E> sink)
      throws SQLException, E {
    int found = 0;
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        Set<String> shortened = new LinkedHashSet<>();
        if (!sink.take(row(readers, rows, shortened), shortened)) {
          return -1;
        }
        found++;
      }
    }
    return found;
  }

  private static String row(List<ColumnReader> readers, ResultSet row, Set<String> shortened)
      throws SQLException {
    StringBuilder json = new StringBuilder("[");
    for (ColumnReader reader : readers) {
      ColumnReader.Cell cell = reader.read(row);
      json.append(json.length() == 1 ? "" : ",").append(cell.json());
      if (cell.shortened()) {
        shortened.add(reader.column().name());
      }
    }
    return json.append(']').toString();
  }
}
