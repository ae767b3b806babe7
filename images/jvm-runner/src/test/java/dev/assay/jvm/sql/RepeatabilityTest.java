package dev.assay.jvm.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RepeatabilityTest {
  @Test
  void theVolatileFunctionsAreThoseOfTheEngine() throws Exception {
    Set<String> names = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT DISTINCT function_name FROM duckdb_functions()"
                    + " WHERE stability <> 'CONSISTENT'")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    assertThat(Repeatability.VOLATILE_FUNCTIONS).containsExactlyInAnyOrderElementsOf(names);
  }
}
