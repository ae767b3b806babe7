package dev.assay.operator.runner;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Lets so many pass in a window of time, and the next ones wait for the next window. So one Pod
 * cannot keep the operator busy with nothing but short lines; none of them is lost.
 */
final class Pace {
  private final int most;
  private final long windowNanos;
  private final LongSupplier nanoTime;
  private final LongConsumer parkNanos;
  private long windowStart;
  private int passed;

  Pace(int most, Duration window) {
    this(most, window, System::nanoTime, LockSupport::parkNanos);
  }

  Pace(int most, Duration window, LongSupplier nanoTime, LongConsumer parkNanos) {
    this.most = most;
    this.windowNanos = window.toNanos();
    this.nanoTime = nanoTime;
    this.parkNanos = parkNanos;
    this.windowStart = nanoTime.getAsLong();
  }

  /** Waits for its turn. An interrupt ends the waiting and stays set. */
  void pass() {
    long now = nanoTime.getAsLong();
    while (passed >= most
        && now - windowStart < windowNanos
        && !Thread.currentThread().isInterrupted()) {
      parkNanos.accept(windowStart + windowNanos - now);
      now = nanoTime.getAsLong();
    }
    if (now - windowStart >= windowNanos) {
      windowStart = now;
      passed = 0;
    }
    passed++;
  }
}
