package dev.assay.gateway.http;

import java.io.OutputStream;

/** Counts what is written to it, and keeps nothing. */
final class CountedBytes extends OutputStream {
  private long count;

  long count() {
    return count;
  }

  @Override
  public void write(int b) {
    count++;
  }

  @Override
  public void write(byte[] bytes, int from, int length) {
    count += length;
  }
}
