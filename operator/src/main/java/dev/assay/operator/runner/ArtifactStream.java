package dev.assay.operator.runner;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of an artifact as a Pod sends them: exactly as many as were announced. Every failure to
 * read them is an {@link ArtifactLostException}, so that it is not taken for one of the store.
 * Closing it does not close the response.
 */
final class ArtifactStream extends FilterInputStream {
  private long left;

  ArtifactStream(InputStream body, long bytes) {
    super(body);
    this.left = bytes;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (left == 0) {
      return -1;
    }
    int count = receive(target, offset, (int) Math.min(length, left));
    if (count < 0) {
      throw new ArtifactLostException("the Pod sent " + left + " bytes too few");
    }
    left -= count;
    return count;
  }

  private int receive(byte[] target, int offset, int length) throws ArtifactLostException {
    try {
      return in.read(target, offset, length);
    } catch (IOException e) {
      throw new ArtifactLostException("the connection to the Pod was lost");
    }
  }

  @Override
  public void close() {}
}
