package dev.assay.frontend.token;

/**
 * How many tokens a text takes of a model's context. Tokenizers differ, and none belongs into a
 * server: the estimate follows the rules by which they split a text before they look at their
 * vocabulary, which is what makes tables and JSON several times as dear as prose of the same
 * length. It is calibrated with o200k.
 */
public final class TokenEstimate {
  private TokenEstimate() {}

  /** Of a text. */
  public static int of(CharSequence text) {
    TokenScanner pieces = new TokenScanner(text);
    while (pieces.next()) {
      // Counts.
    }
    return pieces.tokens();
  }

  /** Whether a text takes no more than so many tokens. */
  public static boolean fits(CharSequence text, int tokens) {
    return prefix(text, tokens) == text.length();
  }

  /** Where the longest prefix of at most so many tokens ends; never between two surrogates. */
  public static int prefix(CharSequence text, int tokens) {
    TokenScanner pieces = new TokenScanner(text);
    int end = 0;
    while (pieces.next()) {
      if (pieces.tokens() > tokens) {
        return end;
      }
      end = pieces.end();
    }
    return end;
  }

  /** Where the longest suffix of at most so many tokens begins; never between two surrogates. */
  public static int suffix(CharSequence text, int tokens) {
    int before = of(text) - tokens;
    TokenScanner pieces = new TokenScanner(text);
    while (before > 0 && pieces.next()) {
      if (pieces.tokens() >= before) {
        return pieces.end();
      }
    }
    return 0;
  }
}
