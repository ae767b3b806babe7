package dev.assay.api.text;

/** The length of text in bytes. Pure. */
public final class TextBytes {
  private static final int UNICODE_ESCAPE = "\\u0000".length();

  private TextBytes() {}

  /** Bytes of a character in UTF-8, in which half a surrogate pair is a question mark. */
  public static int utf8(int codePoint) {
    if (codePoint < 0x80 || (codePoint >= 0xD800 && codePoint <= 0xDFFF)) {
      return 1;
    }
    return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }

  /** The same within a string of JSON, which has escapes. */
  public static int json(int codePoint) {
    return switch (codePoint) {
      case '"', '\\', '\n', '\r', '\t', '\b', '\f' -> 2;
      default -> codePoint < ' ' ? UNICODE_ESCAPE : utf8(codePoint);
    };
  }
}
