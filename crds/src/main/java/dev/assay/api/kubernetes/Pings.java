package dev.assay.api.kubernetes;

import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Pings WebSockets, and closes those that are silent. A connection can be open but dead: a firewall
 * has dropped its state, or the kernel refused to poll it (epoll_ctl fails with ENOSPC if a user
 * has too many watches, and the JDK's selector ignores that). A watch on it would wait forever.
 */
final class Pings {
  private final ScheduledExecutorService timer;
  private final LongSupplier nanoTime;
  private final Duration interval;
  private final Duration maxSilence;

  /** Pings are ignored for a server that never answers them. */
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

  /** Pings the WebSocket of a listener while it is open. */
  WebSocket.Listener watching(WebSocket.Listener listener) {
    return new PingedListener(listener, this);
  }

  Future<?> repeat(Runnable check) {
    return timer.scheduleWithFixedDelay(
        check, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
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
