package dev.assay.frontend.http;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A body that is asked for at the first read: that is what has the server tell a client, who waits
 * for it, to send.
 */
final class LateInputStream extends InputStream {
  private final Source source;
  private @Nullable InputStream stream;

  /** Gives the stream. */
  interface Source {
    InputStream open() throws IOException;
  }

  LateInputStream(Source source) {
    this.source = source;
  }

  private InputStream stream() throws IOException {
    if (stream == null) {
      stream = source.open();
    }
    return stream;
  }

  @Override
  public int read() throws IOException {
    return stream().read();
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    return stream().read(bytes, offset, length);
  }
}
