package dev.assay.frontend.mcp;

/** Lengths of a JSON string, found without decoding it. */
final class JsonText {
  private static final int UNICODE_ESCAPE = 6;

  private JsonText() {}

  /**
   * Length in bytes of UTF-8 of the text that a string stands for. Where the string is malformed
   * the result is some number that is not above the string's length.
   *
   * @param json valid UTF-8
   * @param openingQuote where the string begins
   */
  static long utf8Length(byte[] json, int openingQuote) {
    long length = 0;
    int i = openingQuote + 1;
    while (i < json.length && json[i] != '"') {
      if (json[i] != '\\') {
        length++;
        i++;
      } else if (i + UNICODE_ESCAPE <= json.length && json[i + 1] == 'u') {
        length += utf8Length(codeUnit(json, i + 2));
        i += UNICODE_ESCAPE;
      } else {
        length++;
        i += 2;
      }
    }
    return length;
  }

  /**
   * Length in bytes of a string with its quotes; to the end of all where it does not end.
   *
   * @param openingQuote where the string begins
   */
  static int length(byte[] json, int openingQuote) {
    int i = openingQuote + 1;
    while (i < json.length && json[i] != '"') {
      i += json[i] == '\\' ? 2 : 1;
    }
    return Math.min(i + 1, json.length) - openingQuote;
  }

  private static char codeUnit(byte[] json, int digits) {
    int unit = 0;
    for (int i = digits; i < digits + 4; i++) {
      unit = (unit << 4) | (Character.digit(json[i], 16) & 0xF);
    }
    return (char) unit;
  }

  /** Half a surrogate pair counts half of the pair's four bytes. */
  private static int utf8Length(char unit) {
    if (unit < 0x80) {
      return 1;
    }
    return unit < 0x800 || Character.isSurrogate(unit) ? 2 : 3;
  }
}
