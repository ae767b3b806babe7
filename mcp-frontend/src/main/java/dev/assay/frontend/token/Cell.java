package dev.assay.frontend.token;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** One value of a table: null, a truth value, a number, a text, or a list or map of them. */
final class Cell {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String CUT = "…";

  private Cell() {}

  /** The value as text: lists and maps as JSON, infinities and NaN as engines write them in CSV. */
  static String text(Object cell) {
    if (cell instanceof Double number && !Double.isFinite(number)) {
      return Double.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
    }
    return isNested(cell) ? JSON.writeValueAsString(cell) : cell.toString();
  }

  /**
   * The value in at most so many characters. Only texts, lists and maps get shorter, and are texts
   * with an ellipsis then; half a number would be another number.
   */
  static @Nullable Object shortened(@Nullable Object cell, int maxChars) {
    if (cell == null || !(cell instanceof String || isNested(cell))) {
      return cell;
    }
    String text = text(cell);
    return text.length() <= maxChars ? cell : shortened(text, maxChars);
  }

  /** The text in at most so many characters. */
  static String shortened(String text, int maxChars) {
    if (text.length() <= maxChars) {
      return text;
    }
    int end = maxChars - 1;
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + CUT;
  }

  private static boolean isNested(Object cell) {
    return cell instanceof List<?> || cell instanceof Map<?, ?>;
  }
}
