package dev.assay.api.text;

/**
 * Removes characters that a reader does not see: control characters, except for line feeds and
 * tabs, and format characters, such as those that reverse the direction of text. Pure.
 */
public final class VisibleText {
  private VisibleText() {}

  /** The text without such characters. */
  public static String of(String text) {
    if (text.codePoints().allMatch(VisibleText::isVisible)) {
      return text;
    }
    return text.codePoints()
        .filter(VisibleText::isVisible)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** Variation selectors, and letters and marks without a shape. */
  static boolean isFiller(int character) {
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
