package dev.assay.frontend.analytics;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What kind of error an analytics tool reports. {@code docs/analytics.md} has them as a table. */
public enum ErrorCode {
  INVALID_INPUT(
      4001,
      "Invalid Input",
      "An argument is missing, unknown, of the wrong type or out of range; an engine cannot run"
          + " the type of query; a path is outside of `/workspace`; the class is not available.",
      "Correct the argument that the message names."),
  FILE_NOT_FOUND(
      4002,
      "File Not Found",
      "No dataset has the name, path or pattern, or the query reads a file that is not in `files`;"
          + " or a stored result has been deleted.",
      "Use one of the names in the message, or list_datasets()."),
  SCHEMA_ERROR(
      4003,
      "Schema Error",
      "A column that an argument names does not exist, a dataset failed to load, or files of one"
          + " pattern have different columns.",
      "Check the columns with analytics_profile_dataset."),
  QUERY_ERROR(
      4004,
      "Query Error",
      "The engine rejected the query, or the code raised: syntax, an unknown column, table or"
          + " function, a conversion. `query_context` shows the line.",
      "Correct the query and call again; analytics_profile_dataset lists the columns."),
  ENGINE_ERROR(
      5001,
      "Engine Error",
      "The query was interrupted by a cause outside the query: its Pod could not start or was lost,"
          + " the engine crashed, the run was cancelled.",
      "The message says whether the query was started; calling again runs it from its beginning."),
  MEMORY_ERROR(
      5002,
      "Memory Error",
      "The query needs more memory or temporary disk space than its class has.",
      "Read fewer columns or rows, aggregate earlier, or use a larger run_class."),
  TIMEOUT(
      5003,
      "Timeout",
      "The query ran longer than its limit. `partial` is true where `data` has rows from before"
          + " that.",
      "Filter or aggregate more, or call with a higher timeout_seconds."),
  CACHE_ERROR(
      5004,
      "Cache Error",
      "Cached results could not be invalidated, because the cluster could not be reached.",
      "Call analytics_cache_invalidate again.");

  private final int code;
  private final String category;
  private final String meaning;
  private final String advice;

  ErrorCode(int code, String category, String meaning, String advice) {
    this.code = code;
    this.category = category;
    this.meaning = meaning;
    this.advice = advice;
  }

  /** The number that callers read. */
  public int code() {
    return code;
  }

  /** Its name for people. */
  public String category() {
    return category;
  }

  /** What it means, as Markdown. */
  String meaning() {
    return meaning;
  }

  /** What to do next, where nothing better is known; a sentence. */
  public String advice() {
    return advice;
  }

  /** The code that a worker reports by its name; empty where it is none. */
  public static Optional<ErrorCode> reported(@Nullable String name) {
    return Arrays.stream(values()).filter(code -> code.name().equals(name)).findFirst();
  }
}
