package dev.assay.local.kubelet;

import dev.assay.local.api.kubelet.PodLogOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The part of a log that was asked for. */
final class LogStream extends InputStream {
  private final ContainerLog log;
  private final boolean follow;
  private final long end;
  private long position;
  private long left;
  private boolean closed;

  LogStream(ContainerLog log, PodLogOptions options) {
    this.log = log;
    log.retain();
    this.follow = options.follow();
    this.end = log.end();
    this.position = start(log, end, options.tailLines());
    this.left = options.limitBytes() == null ? Long.MAX_VALUE : options.limitBytes();
  }

  private static long start(ContainerLog log, long end, @Nullable Long tailLines) {
    long oldest = log.oldest();
    if (tailLines == null) {
      return oldest;
    }
    ByteBuffer kept = ByteBuffer.allocate((int) (end - oldest));
    log.read(oldest, kept);
    return oldest + tail(kept.array(), kept.position(), tailLines);
  }

  /** Where the last lines begin; the end of the last one may be missing. */
  static int tail(byte[] text, int length, long lines) {
    if (lines <= 0) {
      return length;
    }
    long found = 0;
    for (int i = length - 2; i >= 0; i--) {
      if (text[i] == '\n' && ++found == lines) {
        return i + 1;
      }
    }
    return 0;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (left <= 0 || !hasMore()) {
      return -1;
    }
    int wanted = (int) Math.min(length, left);
    if (!follow) {
      wanted = (int) Math.min(wanted, end - position);
    }
    ByteBuffer buffer = ByteBuffer.wrap(target, offset, wanted);
    position = log.read(position, buffer);
    int read = buffer.position() - offset;
    left -= read;
    return read == 0 ? -1 : read;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      log.release();
    }
  }

  private boolean hasMore() throws IOException {
    if (!follow) {
      return position < end;
    }
    try {
      return log.awaitMore(position);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for more of the log");
    }
  }
}
