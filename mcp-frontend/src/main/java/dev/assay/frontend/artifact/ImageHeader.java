package dev.assay.frontend.artifact;

import dev.assay.frontend.call.ContentBlock.Image.Format;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * The format and size of a complete image. A truncated file has none, since model APIs reject a
 * conversation that contains one; nor has a JPEG with bytes behind its end. The pixels are not
 * decoded here, since they come from a Pod: only images of a usual size are passed on to those who
 * decode them.
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
  private static final int PNG_HEADER_BYTES = 13;
  private static final int PNG_PIXELS = 0x49444154; // "IDAT"
  private static final int PNG_END = 0x49454E44; // "IEND"
  private static final int PNG_CHUNK = 12;
  private static final int JPEG_START = 0xFFD8;
  private static final int JPEG_END = 0xFFD9;
  private static final int JPEG_MARKER = 0xFF;
  private static final int JPEG_FIRST_FRAME = 0xC0;
  private static final int JPEG_LAST_FRAME = 0xCF;
  private static final int JPEG_HUFFMAN = 0xC4;
  private static final int JPEG_EXTENSION = 0xC8;
  private static final int JPEG_ARITHMETIC = 0xCC;
  private static final int JPEG_SCAN = 0xDA;

  /** The header of a whole PNG or JPEG file; empty for anything else. */
  public static Optional<ImageHeader> of(byte[] file) {
    ByteBuffer bytes = ByteBuffer.wrap(file);
    if (file.length >= PNG_BYTES && bytes.getLong(0) == PNG_SIGNATURE) {
      return bytes.getInt(12) == PNG_HEADER && isWholePng(file)
          ? Optional.of(new ImageHeader(Format.PNG, bytes.getInt(16), bytes.getInt(20)))
          : Optional.empty();
    }
    return file.length >= 4
            && unsigned(bytes, 0) == JPEG_START
            && unsigned(bytes, file.length - 2) == JPEG_END
        ? jpeg(bytes)
        : Optional.empty();
  }

  /** Whether the chunks up to the last one are as they were written: length, type, data, CRC. */
  private static boolean isWholePng(byte[] file) {
    ByteBuffer bytes = ByteBuffer.wrap(file);
    boolean hasPixels = false;
    int at = Long.BYTES;
    while (at <= bytes.limit() - PNG_CHUNK) {
      int length = bytes.getInt(at);
      if (length < 0 || length > bytes.limit() - PNG_CHUNK - at) {
        return false;
      }
      CRC32 crc = new CRC32();
      crc.update(file, at + 4, 4 + length);
      if ((int) crc.getValue() != bytes.getInt(at + 8 + length)) {
        return false;
      }
      hasPixels |= bytes.getInt(at + 4) == PNG_PIXELS && length > 0;
      if (bytes.getInt(at + 4) == PNG_END) {
        return hasPixels && bytes.getInt(Long.BYTES) == PNG_HEADER_BYTES;
      }
      at += PNG_CHUNK + length;
    }
    return false;
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
