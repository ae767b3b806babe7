package dev.assay.cli.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Copies the output of a run. Control characters are replaced in what goes to a terminal, since
 * they could change what it shows or does; a file or a pipe gets every byte.
 */
public final class TerminalText {
  private static final int CHUNK = 8192;
  private static final int DELETE = 0x7f;
  private static final int FIRST_PRINTABLE = 0x20;
  private static final int LATIN_LEAD = 0xc2;
  private static final int FIRST_LATIN = 0x80;
  private static final int LAST_LATIN = 0x9f;

  private TerminalText() {}

  /** Text of a run or of an endpoint, such as a message, with its control characters replaced. */
  public static String printable(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int unused = clean(bytes, bytes.length, 0);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Copies as it comes.
   *
   * @param clean whether to replace control characters
   * @return how many bytes were read
   */
  public static long copy(InputStream from, OutputStream to, boolean clean) throws IOException {
    byte[] buffer = new byte[CHUNK];
    long count = 0;
    int last = 0;
    int length;
    while ((length = from.read(buffer)) >= 0) {
      if (clean) {
        last = clean(buffer, length, last);
      }
      to.write(buffer, 0, length);
      to.flush();
      count += length;
    }
    return count;
  }

  /**
   * Replaces the control characters of ASCII, and those of Latin-1 as UTF-8 has them.
   *
   * @param before the byte before the first one
   * @return the last byte
   */
  static int clean(byte[] bytes, int length, int before) {
    int last = before;
    for (int i = 0; i < length; i++) {
      int value = bytes[i] & 0xff;
      boolean isAscii = value < FIRST_PRINTABLE && value != '\n' && value != '\t';
      boolean isLatin = last == LATIN_LEAD && value >= FIRST_LATIN && value <= LAST_LATIN;
      if (isAscii || isLatin || value == DELETE) {
        bytes[i] = '?';
      }
      last = value;
    }
    return last;
  }
}
