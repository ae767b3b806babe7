package dev.assay.frontend.artifact;

import dev.assay.frontend.call.ContentBlock.Image.Format;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the beginning of an image says of it. The rest comes from a Pod as well, and is left to
 * those who show it: so that only images of a usual size are passed on.
 *
 * @param width in pixels
 * @param height in pixels
 */
public record ImageHeader(Format format, int width, int height) {
  /** Larger ones take gigabytes to be shown, however few bytes they have. */
  static final int MAX_SIDE = 4_096;

  private static final long PNG_SIGNATURE = 0x89504E470D0A1A0AL;
  private static final int PNG_HEADER = 0x49484452; // "IHDR"
  private static final int PNG_BYTES = 24;
  private static final int JPEG_START = 0xFFD8;
  private static final int JPEG_MARKER = 0xFF;
  private static final int JPEG_FIRST_FRAME = 0xC0;
  private static final int JPEG_LAST_FRAME = 0xCF;
  private static final int JPEG_HUFFMAN = 0xC4;
  private static final int JPEG_EXTENSION = 0xC8;
  private static final int JPEG_ARITHMETIC = 0xCC;
  private static final int JPEG_SCAN = 0xDA;

  /** The header of a PNG or JPEG file; empty for anything else. */
  public static Optional<ImageHeader> of(byte[] file) {
    ByteBuffer bytes = ByteBuffer.wrap(file);
    if (file.length >= PNG_BYTES && bytes.getLong(0) == PNG_SIGNATURE) {
      return bytes.getInt(12) == PNG_HEADER
          ? Optional.of(new ImageHeader(Format.PNG, bytes.getInt(16), bytes.getInt(20)))
          : Optional.empty();
    }
    return file.length >= 4 && unsigned(bytes, 0) == JPEG_START ? jpeg(bytes) : Optional.empty();
  }

  /** Whether a client can be expected to show it. */
  public boolean isShowable() {
    return width > 0 && width <= MAX_SIDE && height > 0 && height <= MAX_SIDE;
  }

  /** Looks for the frame among the segments: a marker, and the length of what follows. */
  private static Optional<ImageHeader> jpeg(ByteBuffer bytes) {
    int at = 2;
    while (at + 9 <= bytes.limit() && (bytes.get(at) & 0xFF) == JPEG_MARKER) {
      int marker = bytes.get(at + 1) & 0xFF;
      if (marker == JPEG_MARKER) {
        at++; // Fill bytes may come before a marker.
      } else if (isFrame(marker)) {
        return Optional.of(
            new ImageHeader(Format.JPEG, unsigned(bytes, at + 7), unsigned(bytes, at + 5)));
      } else if (marker == JPEG_SCAN) {
        return Optional.empty();
      } else {
        at += 2 + unsigned(bytes, at + 2);
      }
    }
    return Optional.empty();
  }

  private static boolean isFrame(int marker) {
    return marker >= JPEG_FIRST_FRAME
        && marker <= JPEG_LAST_FRAME
        && marker != JPEG_HUFFMAN
        && marker != JPEG_EXTENSION
        && marker != JPEG_ARITHMETIC;
  }

  private static int unsigned(ByteBuffer bytes, int at) {
    return bytes.getShort(at) & 0xFFFF;
  }
}
