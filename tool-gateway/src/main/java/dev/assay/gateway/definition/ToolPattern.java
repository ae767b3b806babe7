package dev.assay.gateway.definition;

/** Names of tools in which {@code *} stands for any characters. Pure. */
public final class ToolPattern {
  private ToolPattern() {}

  /** Whether a name matches a pattern, in time proportional to the product of their lengths. */
  public static boolean matches(String pattern, String name) {
    int at = 0;
    int in = 0;
    int star = -1;
    int resume = 0;
    while (in < name.length()) {
      if (at < pattern.length() && pattern.charAt(at) == '*') {
        star = at++;
        resume = in;
      } else if (at < pattern.length() && pattern.charAt(at) == name.charAt(in)) {
        at++;
        in++;
      } else if (star >= 0) {
        at = star + 1;
        in = ++resume;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }
}
