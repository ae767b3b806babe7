package dev.assay.jvm.sql;

import dev.assay.jvm.sql.Token.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Whether a query returns the same rows each time, as long as its datasets stay the same. */
final class Repeatability {
  /** What the engine calls volatile, or consistent only within a query. */
  static final Set<String> VOLATILE_FUNCTIONS =
      Set.of(
          "current_connection_id",
          "current_database",
          "current_date",
          "current_query",
          "current_query_id",
          "current_schema",
          "current_schemas",
          "current_setting",
          "current_transaction_id",
          "currval",
          "error",
          "gen_random_uuid",
          "get_current_time",
          "get_current_timestamp",
          "getvariable",
          "in_search_path",
          "nextval",
          "now",
          "random",
          "setseed",
          "setval",
          "sleep_ms",
          "stats",
          "today",
          "transaction_timestamp",
          "txid_current",
          "uuid",
          "uuidv4",
          "uuidv7",
          "vector_type",
          "write_log");

  /** Functions that run other text, or depend on the clock or the machine without saying so. */
  private static final Set<String> OTHER_FUNCTIONS =
      Set.of(
          "age",
          "current_localtime",
          "current_localtimestamp",
          "getenv",
          "json_execute_serialized_sql",
          "pg_timezone_names",
          "query",
          "query_table");

  /** Macros that call one of these. */
  private static final Set<String> MACROS =
      Set.of(
          "ago",
          "current_catalog",
          "format_type",
          "get_block_size",
          "pg_conf_load_time",
          "pg_get_constraintdef",
          "pg_get_viewdef",
          "pg_postmaster_start_time",
          "pg_sleep");

  /** Words without parentheses: the time, and samples, which are random. */
  private static final Set<String> WORDS =
      Set.of(
          "current_date",
          "current_time",
          "current_timestamp",
          "localtime",
          "localtimestamp",
          "sample",
          "tablesample");

  private Repeatability() {}

  /** Whether it is; a query that only might not be counts as not repeatable. */
  static boolean isRepeatable(List<Token> query) {
    for (int i = 0; i < query.size(); i++) {
      Token token = query.get(i);
      boolean isCall = i + 1 < query.size() && query.get(i + 1).is("(");
      if (token.kind() == Kind.WORD && WORDS.contains(token.text().toLowerCase(Locale.ROOT))) {
        return false;
      }
      if (isCall && changes(name(token))) {
        return false;
      }
    }
    return true;
  }

  private static boolean changes(String function) {
    return VOLATILE_FUNCTIONS.contains(function)
        || OTHER_FUNCTIONS.contains(function)
        || MACROS.contains(function)
        // They describe the engine and its process.
        || function.startsWith("duckdb_")
        || function.startsWith("pragma_");
  }

  private static String name(Token token) {
    String text = token.text().toLowerCase(Locale.ROOT);
    return token.kind() == Kind.NAME && text.length() > 1
        ? text.substring(1, text.length() - 1)
        : text;
  }
}
