package dev.assay.jvm.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Words that the engine does not take for the names of columns, unless they are quoted. */
final class Keywords {
  private Keywords() {}

  /** Whether a word, in any case, is never the name of a column. */
  static boolean isReserved(Connection connection, String word) throws SQLException {
    return is(connection, word, "'reserved'");
  }

  /** Whether a word, in any case, is not the name of a column in some places. */
  static boolean include(Connection connection, String word) throws SQLException {
    return is(connection, word, "'reserved', 'type_function'");
  }

  private static boolean is(Connection connection, String word, String categories)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT 1 FROM duckdb_keywords() WHERE keyword_name = lower(?)"
                + " AND keyword_category IN ("
                + categories
                + ")")) {
      statement.setString(1, word);
      try (ResultSet found = statement.executeQuery()) {
        return found.next();
      }
    }
  }
}
