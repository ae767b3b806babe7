package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.frontend.token.TokenEstimate;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/** Stored bytes as text of which any beginning is known by its length in bytes. */
final class DecodedOutput {
  private final byte[] raw;
  private final int bytes;
  private final String decoded;

  /**
   * The beginning of a text.
   *
   * @param text fit to be shown
   * @param bytes how many of the stored bytes it stands for
   */
  record Part(String text, int bytes) {}

  /**
   * Decodes UTF-8.
   *
   * @param more whether more bytes follow: a character cut in two at the end is then left out
   */
  DecodedOutput(byte[] raw, boolean more) {
    this.raw = raw;
    this.bytes = more ? Text.withoutCutCharacter(raw) : raw.length;
    this.decoded = new String(raw, 0, bytes, UTF_8);
  }

  /** How many bytes the text stands for. */
  int bytes() {
    return bytes;
  }

  /** All of it, fit to be shown. */
  String text() {
    return Text.clean(decoded);
  }

  /**
   * As much of the beginning as has room.
   *
   * @param maxBytes as a string of JSON
   */
  Part prefix(int maxBytes, int maxTokens) {
    int end =
        Math.min(
            Text.jsonPrefix(decoded, maxBytes).length(), TokenEstimate.prefix(decoded, maxTokens));
    if (end == decoded.length()) {
      return new Part(text(), bytes);
    }
    end = atLineEnd(end);
    return new Part(Text.clean(decoded.substring(0, end)), bytesOf(end));
  }

  /** The end of a line, if one is close; never between the two characters of one line end. */
  private int atLineEnd(int end) {
    int line = decoded.lastIndexOf('\n', end - 1) + 1;
    if (line > end - end / 8) {
      return line;
    }
    boolean inLineEnd = end > 0 && decoded.charAt(end - 1) == '\r' && decoded.charAt(end) == '\n';
    return inLineEnd ? end - 1 : end;
  }

  /** How many bytes the first characters were decoded from. */
  private int bytesOf(int chars) {
    CharsetDecoder decoder =
        UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    ByteBuffer in = ByteBuffer.wrap(raw);
    var unused = decoder.decode(in, CharBuffer.allocate(chars), true);
    return in.position();
  }
}
