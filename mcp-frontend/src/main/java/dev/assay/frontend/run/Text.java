package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/**
 * Makes what came out of a Pod fit for JSON, terminals and logs. Whatever it is, the result is
 * valid Unicode, and its only control characters are line feed and tab.
 */
public final class Text {
  private static final char REPLACEMENT = '\uFFFD';

  private Text() {}

  /**
   * Decodes UTF-8; what is not UTF-8 becomes the replacement character.
   *
   * @param more whether more bytes follow: a character cut in two at the end is then left out
   */
  public static String decode(byte[] bytes, boolean more) {
    CharsetDecoder decoder =
        UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    CharBuffer chars = CharBuffer.allocate(bytes.length + 1);
    decoder.decode(ByteBuffer.wrap(bytes), chars, !more);
    return clean(chars.flip());
  }

  /** Line ends become line feeds; other control characters become the replacement character. */
  public static String clean(CharSequence text) {
    StringBuilder clean = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
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

  /** The text in one line of at most so many characters; an ellipsis marks what was cut. */
  public static String oneLine(String text, int maxChars) {
    String line = clean(text).replace('\n', ' ').replace('\t', ' ').strip();
    if (line.length() <= maxChars) {
      return line;
    }
    int end = maxChars - 1;
    if (Character.isHighSurrogate(line.charAt(end - 1))) {
      end--;
    }
    return line.substring(0, end) + "\u2026";
  }

  /** Length in bytes of UTF-8. */
  public static int bytes(String text) {
    return text.getBytes(UTF_8).length;
  }

  /** The longest beginning of a text that has at most so many bytes of UTF-8. */
  public static String prefix(String text, int maxBytes) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length <= maxBytes) {
      return text;
    }
    byte[] head = new byte[Math.max(0, maxBytes)];
    System.arraycopy(bytes, 0, head, 0, head.length);
    return decode(head, true);
  }

  /** The longest end of a text that has at most so many bytes of UTF-8. */
  public static String suffix(String text, int maxBytes) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length <= maxBytes) {
      return text;
    }
    int from = bytes.length - Math.max(0, maxBytes);
    while (from < bytes.length && (bytes[from] & 0xC0) == 0x80) {
      from++;
    }
    return new String(bytes, from, bytes.length - from, UTF_8);
  }
}
