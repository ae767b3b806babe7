package dev.assay.jvm.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Words that the engine does not take for the names of columns, unless they are quoted. */
final class Keywords {
  private Keywords() {}

  /** Whether a word, in any case, is one. */
  static boolean include(Connection connection, String word) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT 1 FROM duckdb_keywords() WHERE keyword_name = lower(?)"
                + " AND keyword_category IN ('reserved', 'type_function')")) {
      statement.setString(1, word);
      try (ResultSet found = statement.executeQuery()) {
        return found.next();
      }
    }
  }
}
