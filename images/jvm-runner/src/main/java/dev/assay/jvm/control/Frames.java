package dev.assay.jvm.control;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Length-prefixed messages: four bytes, big-endian, and that many bytes of UTF-8 JSON. */
final class Frames {
  private static final int HEADER_BYTES = 4;

  private Frames() {}

  /** The frame of a body. */
  static ByteBuffer encode(byte[] body) {
    return ByteBuffer.allocate(HEADER_BYTES + body.length).putInt(body.length).put(body).flip();
  }

  /**
   * Reads the body of the next frame; empty at the end of the stream.
   *
   * @throws IOException also for a frame that is over the limit or incomplete
   */
  static Optional<byte[]> read(InputStream stream, int limit) throws IOException {
    byte[] header = stream.readNBytes(HEADER_BYTES);
    if (header.length == 0) {
      return Optional.empty();
    }
    if (header.length < HEADER_BYTES) {
      throw new EOFException("the stream ends within a frame");
    }
    int length = ByteBuffer.wrap(header).getInt();
    if (length < 0 || length > limit) {
      throw new IOException(
          "a frame of %s bytes is over the limit of %d"
              .formatted(Integer.toUnsignedString(length), limit));
    }
    byte[] body = new byte[length];
    new DataInputStream(stream).readFully(body);
    return Optional.of(body);
  }
}
