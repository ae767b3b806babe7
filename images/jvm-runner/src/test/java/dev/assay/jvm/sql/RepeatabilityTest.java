package dev.assay.jvm.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatabilityTest {
  /** They change nothing: one fails the query, the other reads a table that the query names. */
  private static final Set<String> HARMLESS_IN_MACROS = Set.of("error", "query_table");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT ago(INTERVAL 1 DAY)",
        "SELECT current_localtimestamp()",
        "SELECT \"current_localtime\"()",
        "SELECT pg_postmaster_start_time()",
        "SELECT pg_catalog.pg_conf_load_time()",
        "FROM pg_timezone_names()",
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT random()'))",
        "SELECT -- \r now()",
      })
  void whatDependsOnTheClockOrRunsOtherTextIsNotRepeatable(String query) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.executeQuery(query).close();
    }
    assertThat(Repeatability.isRepeatable(Lexer.tokens(query))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT histogram(a), json_group_object(a, b), ago FROM t",
        "SELECT date_trunc('day', a) AT TIME ZONE 'Europe/Berlin' FROM t -- now()",
      })
  void whatFollowsFromTheDatasetsIsRepeatable(String query) {
    assertThat(Repeatability.isRepeatable(Lexer.tokens(query))).isTrue();
  }

  @Test
  void aMacroOfTheEngineIsRepeatableOnlyIfWhatItCallsIs() throws Exception {
    Set<String> missed = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT function_name, macro_definition FROM duckdb_functions()"
                    + " WHERE macro_definition IS NOT NULL")) {
      while (rows.next()) {
        boolean changes = !Repeatability.isRepeatable(calls(rows.getString(2)));
        if (changes && Repeatability.isRepeatable(Lexer.tokens(rows.getString(1) + "()"))) {
          missed.add(rows.getString(1));
        }
      }
    }
    assertThat(missed).isEmpty();
  }

  private static List<Token> calls(String definition) {
    return Lexer.tokens(definition).stream()
        .filter(token -> !HARMLESS_IN_MACROS.contains(token.text().replace("\"", "")))
        .toList();
  }

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
