package dev.assay.api.kubernetes;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response, until the last byte. The JDK's own timeout covers only the headers,
 * and the Kubernetes client would wait for a body forever.
 */
final class Exchange {
  private final ScheduledExecutorService timer;
  private final Duration bodyTimeout;
  private final Runnable ended;
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile @Nullable Future<?> deadline;

  /**
   * Creates an exchange that has started.
   *
   * @param bodyTimeout from the headers to the last byte
   * @param ended called once, at the end of the exchange
   */
  Exchange(ScheduledExecutorService timer, Duration bodyTimeout, Runnable ended) {
    this.timer = timer;
    this.bodyTimeout = bodyTimeout;
    this.ended = ended;
  }

  /** Ends the exchange; returns whether this was the first call. */
  boolean end() {
    if (!done.compareAndSet(false, true)) {
      return false;
    }
    Future<?> overdue = deadline;
    if (overdue != null) {
      overdue.cancel(false);
    }
    ended.run();
    return true;
  }

  <T> BodyHandler<T> bounded(BodyHandler<T> handler) {
    return response -> {
      Body<T> body = new Body<>(handler.apply(response));
      deadline = timer.schedule(body::overdue, bodyTimeout.toMillis(), TimeUnit.MILLISECONDS);
      return body;
    };
  }

  private final class Body<T> implements BodySubscriber<T>, Subscription {
    private final BodySubscriber<T> subscriber;
    private volatile @Nullable Subscription subscription;

    Body(BodySubscriber<T> subscriber) {
      this.subscriber = subscriber;
    }

    void overdue() {
      if (end()) {
        cancelUpstream();
        subscriber.onError(
            new HttpTimeoutException(
                "The API server's response was not complete after "
                    + bodyTimeout.toSeconds()
                    + " s"));
      }
    }

    @Override
    public void request(long n) {
      Subscription upstream = subscription;
      if (upstream != null) {
        upstream.request(n);
      }
    }

    @Override
    public void cancel() {
      end();
      cancelUpstream();
    }

    private void cancelUpstream() {
      Subscription upstream = subscription;
      if (upstream != null) {
        upstream.cancel();
      }
    }

    @Override
    public void onSubscribe(Subscription upstream) {
      subscription = upstream;
      subscriber.onSubscribe(this);
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
      if (!done.get()) {
        subscriber.onNext(bytes);
      }
    }

    @Override
    public void onError(Throwable error) {
      if (end()) {
        subscriber.onError(error);
      }
    }

    @Override
    public void onComplete() {
      if (end()) {
        subscriber.onComplete();
      }
    }

    @Override
    public CompletionStage<T> getBody() {
      return subscriber.getBody();
    }
  }
}
