package dev.assay.gateway.definition;

import tools.jackson.databind.JsonNode;

/**
 * Removes characters that a reader does not see: control characters, except for line feeds and
 * tabs, and format characters, such as those that reverse the direction of text. Pure.
 */
public final class CleanText {
  private CleanText() {}

  /** The text without such characters. */
  public static String of(String text) {
    if (text.codePoints().allMatch(CleanText::isVisible)) {
      return text;
    }
    return text.codePoints()
        .filter(CleanText::isVisible)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
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

  /** Variation selectors, and letters and marks without a shape. */
  private static boolean isFiller(int character) {
    return (character >= 0xFE00 && character <= 0xFE0F)
        || (character >= 0xE0100 && character <= 0xE01EF)
        || (character >= 0x180B && character <= 0x180F)
        || switch (character) {
          case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0 -> true;
          default -> false;
        };
  }

  private static boolean isVisible(int character) {
    if (character == '\n' || character == '\t') {
      return true;
    }
    if (isFiller(character)) {
      return false;
    }
    int type = Character.getType(character);
    return type != Character.CONTROL
        && type != Character.FORMAT
        && type != Character.SURROGATE
        && type != Character.PRIVATE_USE
        && type != Character.LINE_SEPARATOR
        && type != Character.PARAGRAPH_SEPARATOR;
  }
}
