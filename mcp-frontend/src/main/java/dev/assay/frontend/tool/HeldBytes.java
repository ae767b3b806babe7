package dev.assay.frontend.tool;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Bytes in memory that are let go when they are closed, whoever still refers to this. */
final class HeldBytes extends InputStream {
  private static final byte[] NONE = {};

  private final long heapBytes;
  private ByteArrayInputStream bytes;

  HeldBytes(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /** A part of an array, all of which is held. */
  HeldBytes(byte[] array, int start, int length) {
    this.heapBytes = array.length;
    this.bytes = new ByteArrayInputStream(array, start, length);
  }

  /** What it takes in memory until it is closed. */
  long heapBytes() {
    return heapBytes;
  }

  @Override
  public synchronized int available() {
    return bytes.available();
  }

  @Override
  public synchronized int read() {
    return bytes.read();
  }

  @Override
  public synchronized int read(byte[] into, int start, int length) throws IOException {
    return bytes.read(into, start, length);
  }

  @Override
  public synchronized void close() {
    bytes = new ByteArrayInputStream(NONE);
  }
}
