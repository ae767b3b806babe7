package dev.assay.frontend.token;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tables as CSV (RFC 4180), one line a row: line ends and other control characters within a cell
 * are written as in JSON strings. Null is an empty field, an empty text is {@code ""}.
 */
final class CsvText {
  private CsvText() {}

  /** One line, with its line feed. */
  static String line(List<? extends @Nullable Object> cells) {
    return cells.stream().map(CsvText::field).collect(Collectors.joining(",", "", "\n"));
  }

  private static String field(@Nullable Object cell) {
    if (cell == null) {
      return "";
    }
    String text = escaped(Cell.text(cell));
    boolean quoted =
        text.isEmpty()
            || text.chars().anyMatch(c -> c == ',' || c == '"')
            || text.charAt(0) == ' '
            || text.charAt(text.length() - 1) == ' ';
    return quoted ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }

  private static String escaped(String text) {
    if (text.codePoints().noneMatch(CsvText::isEscaped)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(c -> append(escaped, c));
    return escaped.toString();
  }

  private static void append(StringBuilder escaped, int c) {
    switch (c) {
      case '\n' -> escaped.append("\\n");
      case '\r' -> escaped.append("\\r");
      case '\t' -> escaped.append("\\t");
      default -> {
        if (isEscaped(c)) {
          escaped.append("\\u%04x".formatted(c));
        } else {
          escaped.appendCodePoint(c);
        }
      }
    }
  }

  /** Line and paragraph separators end lines for some readers; surrogates are halves of pairs. */
  private static boolean isEscaped(int c) {
    return Character.isISOControl(c)
        || c == 0x2028
        || c == 0x2029
        || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }
}
