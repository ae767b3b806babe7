package dev.assay.operator.pod;

import org.jspecify.annotations.Nullable;

/**
 * Sanitizes text from Pods for statuses and Events. Control characters (C1 included), bidirectional
 * overrides and unpaired surrogates become U+FFFD.
 */
public final class PodText {
  private static final char REPLACEMENT = '\uFFFD';

  private PodText() {}

  /**
   * Multi-line text: keeps line feeds and tabs.
   *
   * @param maxChars longer text is truncated
   */
  public static String lines(String text, int maxChars) {
    return clean(text.replace("\r\n", "\n"), maxChars, "\n\t", "");
  }

  /** Output of code: keeps carriage returns too, which progress bars consist of. */
  public static String output(String text) {
    return clean(text, text.length(), "\n\t\r", "");
  }

  /**
   * Single-line text: each line break and tab becomes a space.
   *
   * @param maxChars longer text is truncated
   */
  public static String line(@Nullable String text, int maxChars) {
    return clean(text == null ? "" : text, maxChars, "", "\n\t\r");
  }

  /** JSON text, in whose strings such characters become escapes, which changes no value. */
  public static String json(String json) {
    StringBuilder escaped = new StringBuilder(json.length());
    json.codePoints()
        .forEach(
            c -> {
              if (isHarmless(c) || "\n\t\r".indexOf(c) >= 0) {
                escaped.appendCodePoint(c);
              } else {
                escaped.append("\\u%04x".formatted(c));
              }
            });
    return escaped.toString();
  }

  private static String clean(String text, int maxChars, String kept, String spaces) {
    int length = text.length();
    if (length > maxChars) {
      length = Character.isHighSurrogate(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
    }
    StringBuilder cleaned = new StringBuilder(length);
    int i = 0;
    while (i < length) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (kept.indexOf(c) >= 0) {
        cleaned.appendCodePoint(c);
      } else if (spaces.indexOf(c) >= 0) {
        cleaned.append(' ');
      } else {
        cleaned.appendCodePoint(isHarmless(c) ? c : REPLACEMENT);
      }
    }
    return cleaned.toString();
  }

  private static boolean isHarmless(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> !(c >= 0x202A && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069);
    };
  }
}
