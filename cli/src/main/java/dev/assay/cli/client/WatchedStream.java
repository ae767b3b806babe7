package dev.assay.cli.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Closes a stream that brings nothing for too long, so that whoever reads it does not wait on. */
final class WatchedStream extends FilterInputStream {
  private final Executor afterSilence;

  WatchedStream(InputStream in, Duration silence) {
    super(in);
    this.afterSilence =
        CompletableFuture.delayedExecutor(silence.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    CompletableFuture<Void> watch = CompletableFuture.runAsync(this::giveUp, afterSilence);
    try {
      return super.read(bytes, offset, length);
    } finally {
      watch.cancel(false);
    }
  }

  private void giveUp() {
    try {
      in.close();
    } catch (IOException e) {
      // Its reader fails all the same.
    }
  }
}
