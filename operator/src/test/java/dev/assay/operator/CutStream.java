package dev.assay.operator;

import java.io.IOException;
import java.io.InputStream;

/** A caller who is gone. */
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
