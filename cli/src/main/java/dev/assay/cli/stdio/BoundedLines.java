package dev.assay.cli.stdio;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Lines of a stream, as bytes, each of which has a limit. */
final class BoundedLines {
  private static final int BUFFER_BYTES = 64 << 10;

  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int from;
  private int to;

  BoundedLines(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /**
   * The next line without its end; null at the end of the stream.
   *
   * @throws IOException if it is too long; the stream is of no use then
   */
  byte @Nullable [] next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      if (from == to && !fill()) {
        return line.size() == 0 ? null : line.toByteArray();
      }
      int end = from;
      while (end < to && buffer[end] != '\n') {
        end++;
      }
      if (line.size() + end - from > maxBytes) {
        throw new IOException("a line has more than " + maxBytes + " bytes");
      }
      line.write(buffer, from, end - from);
      boolean isWhole = end < to;
      from = isWhole ? end + 1 : end;
      if (isWhole) {
        return line.toByteArray();
      }
    }
  }

  private boolean fill() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }
}
