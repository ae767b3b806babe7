package dev.assay.operator.runner;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Allows a maximum number of lines per time window; further lines wait for the next window. A Pod
 * cannot keep the operator busy with short lines, and no line is lost.
 */
final class LineRateLimiter {
  private final int maxLines;
  private final long windowNanos;
  private final LongSupplier nanoTime;
  private final LongConsumer parkNanos;
  private long windowStart;
  private int lines;

  LineRateLimiter(int maxLines, Duration window) {
    this(maxLines, window, System::nanoTime, LockSupport::parkNanos);
  }

  LineRateLimiter(int maxLines, Duration window, LongSupplier nanoTime, LongConsumer parkNanos) {
    this.maxLines = maxLines;
    this.windowNanos = window.toNanos();
    this.nanoTime = nanoTime;
    this.parkNanos = parkNanos;
    this.windowStart = nanoTime.getAsLong();
  }

  /** Waits for a free place in a window. An interrupt ends the wait and stays set. */
  void pass() {
    long now = nanoTime.getAsLong();
    while (lines >= maxLines
        && now - windowStart < windowNanos
        && !Thread.currentThread().isInterrupted()) {
      parkNanos.accept(windowStart + windowNanos - now);
      now = nanoTime.getAsLong();
    }
    if (now - windowStart >= windowNanos) {
      windowStart = now;
      lines = 0;
    }
    lines++;
  }
}
