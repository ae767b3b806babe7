package dev.assay.frontend.execution;

import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.run.Text;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What to do after an exception (pure). */
final class Suggestions {
  private static final Pattern QUOTED = Pattern.compile("'([^'\n]{1,256})'");
  private static final int MAX_COLUMNS = 12;
  private static final int MAX_NAME = 80;

  private Suggestions() {}

  /**
   * One sentence.
   *
   * @param type of the exception
   * @param line in the code; null where it is not known
   */
  static String of(String type, String message, @Nullable Integer line, DataFacts data) {
    return switch (type) {
      case "KeyError" -> ofKey(message, data);
      case "ModuleNotFoundError", "ImportError" ->
          "describe_runtime lists the packages that can be imported";
      case "NameError" ->
          "Define it first: a call begins with df, pd, np, px and the datasets by their names, and"
              + " nothing of earlier calls";
      case "MemoryError" -> ofMemory(data);
      case "FileNotFoundError" ->
          "Only the files of the datasets and of this call are in the working directory";
      case "SyntaxError", "IndentationError", "TabError" ->
          "Correct the syntax" + (line == null ? "" : " of line " + line) + " and call again";
      default ->
          "Correct "
              + (line == null ? "the code" : "line " + line)
              + " and call again; print(df.dtypes) shows the columns and their types";
    };
  }

  private static String ofKey(String message, DataFacts data) {
    Matcher quoted = QUOTED.matcher(message);
    String key = quoted.find() ? quoted.group(1) : message.replace("\"", "");
    if (data.columns().isEmpty()) {
      return "Check column names with df.columns";
    }
    return NearNames.closest(key, data.columns())
        .map(
            near ->
                "Column '"
                    + Text.oneLine(key, MAX_NAME)
                    + "' not found. Did you mean '"
                    + Text.oneLine(near, MAX_NAME)
                    + "'?")
        .orElseGet(
            () ->
                "Check column names with df.columns: "
                    + data.columns().stream()
                        .limit(MAX_COLUMNS)
                        .map(name -> Text.oneLine(name, MAX_NAME))
                        .collect(Collectors.joining(", "))
                    + (data.columns().size() > MAX_COLUMNS ? ", …" : ""));
  }

  static String ofMemory(DataFacts data) {
    return data.advice()
        .orElse("Read fewer columns, aggregate earlier, or name a run_class with more memory");
  }
}
