package dev.assay.gateway.definition;

import dev.assay.api.text.VisibleText;
import tools.jackson.databind.JsonNode;

/** Removes the characters from texts of servers that a reader does not see. Pure. */
public final class CleanText {
  private CleanText() {}

  /** The text without such characters. */
  public static String of(String text) {
    return VisibleText.of(text);
  }

  /** The first characters of a text in one line, without such characters. */
  public static String line(String text, int maxLength) {
    String line = of(text.length() > maxLength * 2 ? text.substring(0, maxLength * 2) : text);
    line = line.replaceAll("\\s+", " ").strip();
    return line.length() <= maxLength ? line : line.substring(0, maxLength - 1) + "…";
  }

  /** The value with all its texts cleaned, and the names of its members. */
  public static JsonNode of(JsonNode node) {
    return Json.mapped(
        node,
        CleanText::of,
        scalar -> scalar.isString() ? Json.text(of(scalar.stringValue())) : scalar);
  }
}
