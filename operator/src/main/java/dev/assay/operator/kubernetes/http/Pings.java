package dev.assay.operator.kubernetes.http;

import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Pings WebSockets, and ends those that are silent. A connection can be open and deaf: a firewall
 * has forgotten it, or the kernel refused to poll it (epoll_ctl fails with ENOSPC where a user has
 * too many watches, and the JDK's selector passes over that). A watch on it would wait for ever.
 */
final class Pings {
  private final ScheduledExecutorService timer;
  private final LongSupplier nanoTime;
  private final Duration interval;
  private final Duration maxSilence;

  /** A server that answers no pings at all is not judged by them. */
  private volatile boolean answered;

  Pings(
      ScheduledExecutorService timer,
      LongSupplier nanoTime,
      Duration interval,
      Duration maxSilence) {
    this.timer = timer;
    this.nanoTime = nanoTime;
    this.interval = interval;
    this.maxSilence = maxSilence;
  }

  /** Pings the WebSocket of a listener from when it is open until it has ended. */
  WebSocket.Listener watching(WebSocket.Listener listener) {
    return new PingedListener(listener, this);
  }

  Future<?> repeat(Runnable look) {
    return timer.scheduleWithFixedDelay(
        look, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  long now() {
    return nanoTime.getAsLong();
  }

  void pongReceived() {
    answered = true;
  }

  boolean isDead(long heardAt) {
    return answered && now() - heardAt > maxSilence.toNanos();
  }

  Duration maxSilence() {
    return maxSilence;
  }
}
