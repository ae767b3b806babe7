package dev.assay.frontend.analytics;

/**
 * A pattern of the shell: {@code *} for any characters, {@code ?} for one, {@code [abc]}, {@code
 * [a-z]} and {@code [!a]} for one of a set. Takes at most as many steps as the product of both
 * lengths, so that no pattern is slow.
 */
public final class Wildcard {
  private final String pattern;

  public Wildcard(String pattern) {
    this.pattern = pattern;
  }

  /** Whether a text has characters that a pattern gives a meaning. */
  public static boolean isPattern(String text) {
    return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
  }

  /** Whether the pattern matches all of a text. */
  public boolean matches(String text) {
    int at = 0;
    int i = 0;
    int star = -1;
    int resume = 0;
    while (i < text.length()) {
      if (at < pattern.length() && pattern.charAt(at) == '*') {
        star = at++;
        resume = i;
      } else if (at < pattern.length() && matchesOne(at, text.charAt(i))) {
        at = next(at);
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++resume;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }

  private boolean matchesOne(int at, char c) {
    return switch (pattern.charAt(at)) {
      case '?' -> true;
      case '[' -> setEnd(at) < 0 ? c == '[' : inSet(at, c);
      default -> pattern.charAt(at) == c;
    };
  }

  private int next(int at) {
    int end = pattern.charAt(at) == '[' ? setEnd(at) : -1;
    return (end < 0 ? at : end) + 1;
  }

  /** Where a set is closed; -1 where it never is, and the bracket is a character as others. */
  private int setEnd(int open) {
    int first = open + (isNegated(open) ? 2 : 1);
    return pattern.indexOf(']', first + 1);
  }

  private boolean isNegated(int open) {
    return open + 1 < pattern.length() && pattern.charAt(open + 1) == '!';
  }

  private boolean inSet(int open, char c) {
    int end = setEnd(open);
    boolean negated = isNegated(open);
    boolean found = false;
    for (int i = open + (negated ? 2 : 1); i < end; i++) {
      if (i + 2 < end && pattern.charAt(i + 1) == '-') {
        found |= pattern.charAt(i) <= c && c <= pattern.charAt(i + 2);
        i += 2;
      } else {
        found |= pattern.charAt(i) == c;
      }
    }
    return found != negated;
  }
}
