package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.text.TextBytes;
import dev.assay.api.text.VisibleText;
import java.util.function.IntUnaryOperator;

/**
 * Makes what came out of a Pod fit for JSON, terminals and logs. Whatever it is, the result is
 * valid Unicode, and its only control characters are line feed and tab.
 */
public final class Text {
  private static final int MAX_CHARACTER_BYTES = 4;
  private static final int UNICODE_ESCAPE_BYTES = "\\u0000".length();
  private static final char REPLACEMENT = '\uFFFD';

  private Text() {}

  /**
   * Decodes UTF-8; what is not UTF-8 becomes the replacement character.
   *
   * @param more whether more bytes follow: a character cut in two at the end is then left out
   */
  public static String decode(byte[] bytes, boolean more) {
    int length = more ? withoutCutCharacter(bytes) : bytes.length;
    return clean(new String(bytes, 0, length, UTF_8));
  }

  /** Length up to a character at the end that has its first bytes, and not its last. */
  static int withoutCutCharacter(byte[] bytes) {
    int begin = bytes.length - 1;
    while (begin > bytes.length - MAX_CHARACTER_BYTES
        && begin > 0
        && isContinuation(bytes[begin])) {
      begin--;
    }
    return begin >= 0 && bytes.length - begin < characterLength(bytes[begin])
        ? begin
        : bytes.length;
  }

  /** How many bytes at the beginning belong to a character whose first byte is missing. */
  static int cutCharacter(byte[] bytes) {
    int cut = 0;
    while (cut < Math.min(bytes.length, MAX_CHARACTER_BYTES - 1) && isContinuation(bytes[cut])) {
      cut++;
    }
    return cut;
  }

  private static boolean isContinuation(byte b) {
    return (b & 0xC0) == 0x80;
  }

  private static int characterLength(byte first) {
    int unsigned = first & 0xFF;
    if (unsigned < 0xC2 || unsigned > 0xF4) {
      return 1;
    }
    return unsigned < 0xE0 ? 2 : unsigned < 0xF0 ? 3 : MAX_CHARACTER_BYTES;
  }

  /** Line ends become line feeds; other control characters become the replacement character. */
  public static String clean(String text) {
    int clear = 0;
    while (clear < text.length() && isFine(text.charAt(clear))) {
      clear++;
    }
    return clear == text.length() ? text : cleaned(text, clear);
  }

  /** Whether a character is left as it is, whatever is beside it. */
  private static boolean isFine(char c) {
    return !Character.isSurrogate(c) && (!Character.isISOControl(c) || c == '\n' || c == '\t');
  }

  /** The same for a text that is fine up to a place. */
  private static String cleaned(String text, int clear) {
    StringBuilder clean = new StringBuilder(text.length()).append(text, 0, clear);
    for (int i = clear; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\r') {
        boolean partOfLineEnd = i + 1 < text.length() && text.charAt(i + 1) == '\n';
        if (!partOfLineEnd) {
          clean.append('\n');
        }
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        clean.append(c).append(text.charAt(++i));
      } else if (Character.isSurrogate(c)
          || (Character.isISOControl(c) && c != '\n' && c != '\t')) {
        clean.append(REPLACEMENT);
      } else {
        clean.append(c);
      }
    }
    return clean.toString();
  }

  /** JSON text in one line, as {@link #escapedJson}: an event ends with an empty line. */
  public static String jsonLine(String json) {
    return escapedJson(json).replace('\n', ' ').replace('\r', ' ').replace('\t', ' ');
  }

  /**
   * JSON text that every reader accepts: control characters are escapes, which changes no value,
   * and half of a surrogate pair is the replacement character.
   */
  public static String escapedJson(String json) {
    StringBuilder escaped = new StringBuilder(json.length());
    int end;
    for (int i = 0; i < json.length(); i = end) {
      end = unitEnd(json, i);
      char unit = unit(json, i, end);
      if (Character.isHighSurrogate(unit)
          && end < json.length()
          && Character.isLowSurrogate(unit(json, end, unitEnd(json, end)))) {
        end = unitEnd(json, end);
        escaped.append(json, i, end);
      } else if (Character.isSurrogate(unit)) {
        escaped.append(REPLACEMENT);
      } else if (Character.isISOControl(json.charAt(i)) && json.charAt(i) > ' ') {
        // JSON itself allows no others below the space.
        escaped.append("\\u%04x".formatted((int) unit));
      } else {
        escaped.append(json, i, end);
      }
    }
    return escaped.toString();
  }

  /** Where a character or an escape of JSON text ends. */
  private static int unitEnd(String json, int begin) {
    if (json.charAt(begin) != '\\' || begin + 1 == json.length()) {
      return begin + 1;
    }
    boolean isCode = json.charAt(begin + 1) == 'u' && begin + UNICODE_ESCAPE_BYTES <= json.length();
    return begin + (isCode ? UNICODE_ESCAPE_BYTES : 2);
  }

  /** The character that it stands for; of an escape without a code, its letter. */
  private static char unit(String json, int begin, int end) {
    if (end - begin < UNICODE_ESCAPE_BYTES) {
      return json.charAt(end - 1);
    }
    int unit = 0;
    for (int i = begin + 2; i < end; i++) {
      unit = (unit << 4) | (Character.digit(json.charAt(i), 16) & 0xF);
    }
    return (char) unit;
  }

  /** The text in one line of limited length; an ellipsis marks what was cut. */
  public static String oneLine(String text, int maxChars) {
    return cut(line(text).strip(), maxChars);
  }

  /** A name in one line, in quotes where it begins or ends with a space. */
  public static String name(String name, int maxChars) {
    String line = line(name);
    return line.equals(line.strip()) ? cut(line, maxChars) : "'" + cut(line, maxChars) + "'";
  }

  private static String line(String text) {
    return clean(text).replace('\n', ' ').replace('\t', ' ');
  }

  private static String cut(String line, int maxChars) {
    if (line.length() <= maxChars) {
      return line;
    }
    int end = maxChars - 1;
    if (Character.isHighSurrogate(line.charAt(end - 1))) {
      end--;
    }
    return line.substring(0, end) + "\u2026";
  }

  /** The same of a text of others, without the characters that a reader does not see. */
  public static String visibleLine(String text, int maxChars) {
    return oneLine(VisibleText.of(text), maxChars);
  }

  /** The same of a name, which may begin or end with a space. */
  public static String visibleName(String name, int maxChars) {
    return cut(line(VisibleText.of(name)), maxChars);
  }

  /** Length in bytes of UTF-8, in which half a surrogate pair is a question mark. */
  public static int bytes(String text) {
    return bytes(text, 0, text.length());
  }

  private static int bytes(String text, int from, int to) {
    int bytes = 0;
    int next;
    for (int i = from; i < to; i = next) {
      next = i + Character.charCount(text.codePointAt(i));
      bytes += TextBytes.utf8(text.codePointAt(i));
    }
    return bytes;
  }

  /** Length in bytes of UTF-8 within a string of JSON, which has escapes. */
  static int jsonBytes(String text) {
    return text.codePoints().map(TextBytes::json).sum();
  }

  /** The longest prefix of a text that fits into a number of bytes of UTF-8. */
  public static String prefix(String text, int maxBytes) {
    return prefix(text, maxBytes, TextBytes::utf8);
  }

  /** The longest prefix of a text that fits into a number of {@link #jsonBytes}. */
  static String jsonPrefix(String text, int maxBytes) {
    return prefix(text, maxBytes, TextBytes::json);
  }

  private static String prefix(String text, int maxBytes, IntUnaryOperator bytesOf) {
    int end = 0;
    int left = maxBytes;
    while (end < text.length()) {
      int codePoint = text.codePointAt(end);
      left -= bytesOf.applyAsInt(codePoint);
      if (left < 0) {
        return text.substring(0, end);
      }
      end += Character.charCount(codePoint);
    }
    return text;
  }

  /** The longest suffix of a text that fits into a number of bytes of UTF-8. */
  public static String suffix(String text, int maxBytes) {
    return suffix(text, maxBytes, TextBytes::utf8);
  }

  /** The longest suffix of a text that fits into a number of {@link #jsonBytes}. */
  static String jsonSuffix(String text, int maxBytes) {
    return suffix(text, maxBytes, TextBytes::json);
  }

  private static String suffix(String text, int maxBytes, IntUnaryOperator bytesOf) {
    int begin = text.length();
    int left = maxBytes;
    while (begin > 0) {
      int codePoint = text.codePointBefore(begin);
      left -= bytesOf.applyAsInt(codePoint);
      if (left < 0) {
        return text.substring(begin);
      }
      begin -= Character.charCount(codePoint);
    }
    return text;
  }
}
