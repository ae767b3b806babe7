package dev.assay.frontend.token;

/** What characters beyond ASCII cost, in hundredths of a token. */
final class Letters {
  private Letters() {}

  /** Whether tokenizers take a character for a part of a word: a letter or a mark on one. */
  static boolean isLetter(int c) {
    if (c < 0x80) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK ->
          true;
      default -> Character.isLetter(c);
    };
  }

  static boolean isLatin(int c) {
    return c < 0x80
        || switch (Character.UnicodeScript.of(c)) {
          case LATIN, COMMON, INHERITED -> true;
          default -> false;
        };
  }

  /** Of a letter that is not Latin. */
  static int cost(int c) {
    return switch (Character.UnicodeScript.of(c)) {
      case CYRILLIC -> 20;
      case ARABIC -> 26;
      case DEVANAGARI -> 28;
      case GREEK, HEBREW, THAI -> 42;
      case HAN, HANGUL -> 72;
      case HIRAGANA, KATAKANA -> 80;
      default -> 50;
    };
  }

  /** Of a control character, or of a mark, a symbol or a picture beyond ASCII. */
  static int pictureCost(int c) {
    if (c > 0xFFFF) {
      return 200;
    }
    return c >= 0x2100 ? 100 : 50;
  }
}
