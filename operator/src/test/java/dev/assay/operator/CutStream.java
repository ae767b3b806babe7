package dev.assay.operator;

import java.io.IOException;
import java.io.InputStream;

/** The body of a caller that has disconnected. */
public final class CutStream extends InputStream {
  @Override
  public int read() throws IOException {
    throw new IOException("the caller is gone");
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    throw new IOException("the caller is gone");
  }
}
