package dev.assay.jvm.sample;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The strata of a table: the values of one column, of which null is one.
 *
 * @param numbered the column {@code s} and the position {@code r} of each row, in SQL
 */
record Strata(Connection connection, String numbered, long seed) {
  /**
   * A stratum.
   *
   * @param first position of its first row
   * @param any position of a row chosen by the seed
   * @param strata number of all strata
   */
  private record Stratum(long rows, long first, long any, long strata) {}

  /**
   * Chooses rows. Of more strata than rows, the largest have one each, of equal ones those that the
   * seed chooses.
   *
   * @param size at least 1, and at most all rows
   */
  Draw choose(int size) throws SQLException {
    List<Stratum> strata = largest(size);
    long all = strata.getFirst().strata();
    if (all >= size) {
      return new Draw(strata.stream().map(Stratum::any).toList(), all);
    }
    List<Long> sizes = strata.stream().map(Stratum::rows).toList();
    Map<Long, List<Long>> rows = rows(size);
    List<Iterator<Long>> chosen =
        strata.stream()
            .map(stratum -> rows.getOrDefault(stratum.first(), List.of()).iterator())
            .toList();
    return new Draw(
        Allocation.order(sizes, size).stream().map(stratum -> chosen.get(stratum).next()).toList(),
        all);
  }

  private List<Stratum> largest(int limit) throws SQLException {
    String query =
        """
        SELECT count(*), min(r), min_by(r, hash(r, %1$d)), count(*) OVER () FROM %2$s
        GROUP BY s ORDER BY 1 DESC, hash(min(r), %1$d) LIMIT %3$d
        """
            .formatted(seed, numbered, limit);
    List<Stratum> strata = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        strata.add(new Stratum(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)));
      }
    }
    return strata;
  }

  /** Rows of each stratum, which is known by its first position, in the order of the seed. */
  private Map<Long, List<Long>> rows(int most) throws SQLException {
    String query =
        "SELECT min(r), min_by(r, hash(r, %d), %d) FROM %s GROUP BY s"
            .formatted(seed, most, numbered);
    Map<Long, List<Long>> rows = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        Object[] chosen = (Object[]) row.getArray(2).getArray();
        rows.put(
            row.getLong(1),
            Arrays.stream(chosen).map(position -> ((Number) position).longValue()).toList());
      }
    }
    return rows;
  }
}
