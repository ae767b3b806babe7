package dev.assay.operator.runner;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The body of a response, which is closed when it takes too long. */
final class TimedBody implements Closeable {
  private final InputStream stream;
  private final Future<?> overdue;

  TimedBody(InputStream stream, ScheduledExecutorService timer, Duration atMost) {
    this.stream = stream;
    this.overdue =
        timer.schedule(() -> closeQuietly(stream), atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  InputStream stream() {
    return stream;
  }

  @Override
  public void close() {
    overdue.cancel(false);
    closeQuietly(stream);
  }

  static void closeQuietly(InputStream body) {
    try {
      body.close();
    } catch (IOException e) {
      // The response is abandoned either way.
    }
  }
}
