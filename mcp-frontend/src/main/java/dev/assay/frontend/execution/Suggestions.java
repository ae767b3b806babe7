package dev.assay.frontend.execution;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.Optional;
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
    return specific(type, message, data).orElseGet(() -> general(type, line));
  }

  /** The same where it says more than that the code has to be corrected. */
  static Optional<String> specific(String type, String message, DataFacts data) {
    return Optional.ofNullable(
        switch (type) {
          case "KeyError" -> ofKey(message, data);
          case "ModuleNotFoundError", "ImportError" ->
              "describe_runtime lists the packages that can be imported";
          case "NameError" ->
              "Define it first: a call begins with df, pd, np, px and the datasets by their names,"
                  + " and nothing of earlier calls";
          case "MemoryError" -> ofMemory(data);
          case "FileNotFoundError" ->
              "Only the files of the datasets and of this call are in the working directory";
          default -> null;
        });
  }

  private static String general(String type, @Nullable Integer line) {
    return switch (type) {
      case "SyntaxError", "IndentationError", "TabError" ->
          "Correct the syntax" + (line == null ? "" : " of line " + line) + " and call again";
      default ->
          "Correct "
              + (line == null ? "the code" : "line " + line)
              + " and call again; print(df.dtypes) shows the columns and their types";
    };
  }

  private static String ofKey(String message, DataFacts data) {
    List<String> columns = data.columns();
    if (columns.isEmpty()) {
      return "Check column names with df.columns";
    }
    Matcher quoted = QUOTED.matcher(message);
    String key = quoted.find() ? quoted.group(1) : message.replace("\"", "");
    if (columns.contains(key)) {
      return message.startsWith("(")
          ? "Several columns need a list, as in df[[\"a\", \"b\"]]"
          : "It is a column of a dataset, but not of what the code indexes: print its columns";
    }
    // Who could end the quotation could go on in the words of this advice.
    Optional<String> near = key.contains("'") ? Optional.empty() : NearNames.closest(key, columns);
    return near.map(
            name ->
                "Column '%s' not found. Did you mean '%s'?"
                    .formatted(Text.visibleName(key, MAX_NAME), name.replace("'", "\\'")))
        .orElseGet(() -> "Check column names with df.columns: " + listed(columns));
  }

  /** Names as JSON strings, so that what they say cannot be taken for advice. */
  private static String listed(List<String> columns) {
    return columns.stream()
            .limit(MAX_COLUMNS)
            .map(name -> TextNode.valueOf(Text.visibleName(name, MAX_NAME)).toString())
            .collect(Collectors.joining(", "))
        + (columns.size() > MAX_COLUMNS ? ", …" : "");
  }

  static String ofMemory(DataFacts data) {
    return data.advice()
        .orElse("Read fewer columns, aggregate earlier, or name a run_class with more memory");
  }
}
