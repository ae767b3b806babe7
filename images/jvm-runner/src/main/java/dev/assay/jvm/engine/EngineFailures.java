package dev.assay.jvm.engine;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Errors of the engine in the words of the service. */
public final class EngineFailures {
  private static final int MAX_MESSAGE = 1500;

  private static final Pattern URL = Pattern.compile("\\b[A-Za-z][A-Za-z0-9+.-]*://[^\"\\s]*");

  /** Of statements that change a table. Datasets are views. */
  private static final Pattern NO_TABLE =
      Pattern.compile(
          "\\S+ is not an table|can only (?:(?:update|delete from|merge into) base tables?"
              + "|create an index on a base table|modify view with ALTER VIEW statement)!?",
          Pattern.CASE_INSENSITIVE);

  private static final Set<String> ENGINE_TYPES =
      Set.of(
          "",
          "Internal",
          "Fatal",
          "Serialization",
          "Network",
          "HTTP",
          "Object Size",
          "Connection",
          "Executor",
          "Scheduler",
          "Unknown Type",
          "INTERNAL",
          "FATAL");

  private static final List<String> ADVICE_OF_THE_ENGINE =
      List.of("\n\nPossible solutions", "\n\nFor more info", "\nCandidate bindings");

  private EngineFailures() {}

  /** The failure that an error is, if no word of the query says more. */
  public static JobFailure of(EngineError error, @Nullable Place place) {
    if (error.isOutOfMemory()) {
      return outOfMemory(error);
    }
    if (error.isInterrupt()) {
      return new JobFailure(
          ErrorCode.TIMEOUT, "Timeout", "The query was stopped before it was complete");
    }
    return new JobFailure(
        code(error), error.type().replace(" ", "") + "Error", message(error), place, List.of());
  }

  /** The failure of a job for which there is too little memory. */
  public static JobFailure outOfMemory() {
    return outOfMemory("");
  }

  private static JobFailure outOfMemory(EngineError error) {
    boolean isDisk =
        error.message().contains("max_temp_directory_size")
            || error.message().contains("No space left");
    return outOfMemory(isDisk ? ", and its temporary files fill the scratch directory" : "");
  }

  private static JobFailure outOfMemory(String addition) {
    return new JobFailure(
        ErrorCode.MEMORY_ERROR,
        "OutOfMemoryError",
        "The query needs more memory than this run has%s: filter or aggregate earlier, select fewer"
                .formatted(addition)
            + " columns, or use a larger run class");
  }

  private static ErrorCode code(EngineError error) {
    String message = error.message().toLowerCase(Locale.ROOT);
    if (message.contains("no files found that match")) {
      return ErrorCode.FILE_NOT_FOUND;
    }
    if (message.contains("schema mismatch")) {
      return ErrorCode.SCHEMA_ERROR;
    }
    if (error.type().matches("Permission|Missing Extension")) {
      return ErrorCode.INVALID_INPUT;
    }
    return ENGINE_TYPES.contains(error.type()) ? ErrorCode.ENGINE_ERROR : ErrorCode.QUERY_ERROR;
  }

  private static String message(EngineError error) {
    String message = error.message();
    if (message.contains("configuration has been locked")) {
      return "Settings cannot be changed in a run: remove the SET, RESET or PRAGMA statement";
    }
    if (NO_TABLE.matcher(message).matches()) {
      return "Datasets and views cannot be changed: copy one with CREATE TABLE name AS FROM dataset,"
          + " and change the copy";
    }
    Matcher url = URL.matcher(message);
    if (error.type().matches("Permission|Missing Extension") && url.find()) {
      return "Cannot access file \"%s\": a run has no network; load the file as a dataset, and query that"
          .formatted(shortened(url.group()));
    }
    if (message.contains("extension")
        && error.type().matches("IO|Permission|Invalid Input|Missing Extension")) {
      return "Extensions cannot be installed or loaded in a run; those for JSON, Parquet and"
          + " Unicode are there";
    }
    if (error.type().equals("Permission") && message.contains("Cannot access")) {
      return message.replaceFirst(" - .*", "")
          + ": a query reads and writes files of the working directory and of /scratch";
    }
    for (String advice : ADVICE_OF_THE_ENGINE) {
      int start = message.indexOf(advice);
      message = start < 0 ? message : message.substring(0, start);
    }
    return shortened(message);
  }

  private static String shortened(String text) {
    return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + "…";
  }
}
