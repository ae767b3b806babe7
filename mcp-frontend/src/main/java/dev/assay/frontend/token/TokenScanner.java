package dev.assay.frontend.token;

/**
 * Goes through a text by the pieces that tokenizers split it into: a word with the space before it,
 * up to three digits, a run of punctuation with the line feed behind it, white space. What each
 * costs was fitted to the counts of o200k.
 */
final class TokenScanner {
  private static final int TOKEN = 100;

  /** So that a text without an end of a piece can be cut too. */
  private static final int MAX_PIECE = 64;

  private static final int MAX_COST = 8 * TOKEN;

  private static final int DIGITS_PER_TOKEN = 3;
  private static final int PUNCTUATION_PER_TOKEN = 3;

  /** Rules of tables and frames are runs of one character, for which there are tokens. */
  private static final int REPEATED_PER_TOKEN = 16;

  /** Most words up to this length are one token. */
  private static final int COMMON_WORD = 9;

  private static final int LETTERS_PER_TOKEN = 4;
  private static final int CAPITALS_PER_TOKEN = 5;
  private static final int ACCENTED = TOKEN * 2 / 5;

  /** Often part of the token of the word behind it. */
  private static final int JOINER = TOKEN * 3 / 10;

  private final CharSequence text;
  private int end;
  private long cost;

  TokenScanner(CharSequence text) {
    this.text = text;
  }

  /** Goes to the end of the next piece; false where there is none. */
  boolean next() {
    if (end == text.length()) {
      return false;
    }
    int first = Character.codePointAt(text, end);
    if (Letters.isLetter(first)) {
      word();
    } else if (Character.isDigit(first)) {
      digits();
    } else if (isSpace(first)) {
      space();
    } else {
      punctuation(first);
    }
    return true;
  }

  /** Where the piece ends. */
  int end() {
    return end;
  }

  /** Tokens of the text up to there. */
  int tokens() {
    return (int) Math.min(Integer.MAX_VALUE, (cost + TOKEN - 1) / TOKEN);
  }

  /** Letters up to the next capital behind a small one. */
  private void word() {
    int letters = 0;
    int accented = 0;
    int foreign = 0;
    boolean hasSmall = false;
    while (end < text.length() && letters < MAX_PIECE && accented + foreign < MAX_COST) {
      int c = Character.codePointAt(text, end);
      boolean capital = Character.isUpperCase(c);
      if (!Letters.isLetter(c) || (capital && hasSmall)) {
        break;
      }
      hasSmall |= !capital;
      letters++;
      if (Letters.isLatin(c)) {
        accented += c < 0x80 ? 0 : ACCENTED;
      } else {
        foreign += Letters.cost(c);
      }
      end += Character.charCount(c);
    }
    cost += foreign > 0 ? Math.max(TOKEN, foreign) : latin(letters, hasSmall) + accented;
  }

  private static int latin(int letters, boolean hasSmall) {
    return TOKEN
        * (hasSmall
            ? 1 + ceil(Math.max(0, letters - COMMON_WORD), LETTERS_PER_TOKEN)
            : ceil(letters, CAPITALS_PER_TOKEN));
  }

  private void digits() {
    int begin = end;
    while (end - begin < DIGITS_PER_TOKEN && isDigit(end)) {
      end += Character.charCount(Character.codePointAt(text, end));
    }
    cost += TOKEN;
  }

  /** One space belongs to the word behind it, but not to a number. */
  private void space() {
    int begin = end;
    int afterLine = begin;
    while (end < text.length() && end - begin < MAX_PIECE && isSpace(text.charAt(end))) {
      end++;
      if (text.charAt(end - 1) == '\n' || text.charAt(end - 1) == '\r') {
        afterLine = end;
      }
    }
    boolean belongsToPunctuation =
        afterLine == begin + 1
            && begin > 0
            && !isWord(Character.codePointBefore(text, begin))
            && !isSpace(text.charAt(begin - 1));
    if (afterLine > begin && !belongsToPunctuation) {
      cost += TOKEN;
    }
    int spaces = end - afterLine;
    if (spaces > 0 && isDigit(end)) {
      cost += spaces == 1 ? TOKEN : 2 * TOKEN;
    } else if (spaces > 1) {
      cost += TOKEN;
    }
  }

  private void punctuation(int first) {
    int begin = end;
    int marks = 0;
    int pictures = 0;
    boolean repeated = true;
    while (end < text.length() && marks < MAX_PIECE && pictures < MAX_COST) {
      int c = Character.codePointAt(text, end);
      if (isWord(c) || isSpace(c)) {
        break;
      }
      marks++;
      repeated &= c == first;
      pictures += c >= 0x20 && c < 0x80 ? 0 : Letters.pictureCost(c);
      end += Character.charCount(c);
    }
    if (pictures > 0) {
      cost += Math.max(TOKEN, pictures);
    } else if (marks == 1 && "_.-/".indexOf(text.charAt(begin)) >= 0 && isLetter(end)) {
      cost += JOINER;
      word();
    } else {
      cost += (long) TOKEN * ceil(marks, repeated ? REPEATED_PER_TOKEN : PUNCTUATION_PER_TOKEN);
    }
  }

  private boolean isDigit(int index) {
    return index < text.length() && Character.isDigit(Character.codePointAt(text, index));
  }

  private boolean isLetter(int index) {
    return index < text.length() && Letters.isLetter(Character.codePointAt(text, index));
  }

  private static boolean isWord(int c) {
    return Letters.isLetter(c) || Character.isDigit(c);
  }

  private static boolean isSpace(int c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c);
  }

  private static int ceil(int count, int each) {
    return (count + each - 1) / each;
  }
}
