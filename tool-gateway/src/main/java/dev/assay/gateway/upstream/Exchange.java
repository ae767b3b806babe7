package dev.assay.gateway.upstream;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One HTTP request to a server and its response: its limit, how far it came, and its end. */
final class Exchange {
  private static final Duration LINGER = Duration.ofSeconds(1);

  /** How long a message may take from the end of its response to whoever waits for it. */
  private static final Duration DELIVERY = Duration.ofMillis(200);

  private final long maxBytes;
  private final ReplyMemory.Share memory;
  private volatile @Nullable CompletableFuture<?> reply;
  private volatile boolean hasReplyInBody;
  private volatile int status;
  private volatile boolean sent;
  private volatile boolean aborted;
  private volatile boolean complete;
  private volatile @Nullable CompletableFuture<?> response;
  private volatile Flow.@Nullable Subscription body;

  /**
   * An exchange that has not begun.
   *
   * @param maxBytes of the response's body
   * @param memory what the body takes of the memory for all replies
   */
  Exchange(long maxBytes, ReplyMemory.Share memory) {
    this.maxBytes = maxBytes;
    this.memory = memory;
  }

  long maxBytes() {
    return maxBytes;
  }

  ReplyMemory.Share memory() {
    return memory;
  }

  /** Whether the request has been sent, all of it or a part. */
  boolean wasSent() {
    return sent;
  }

  void sending() {
    sent = true;
  }

  /** The status of the response; 0 if there is none yet. */
  int status() {
    return status;
  }

  void replied(int code) {
    status = code;
  }

  void began(CompletableFuture<?> future) {
    response = future;
    if (aborted) {
      abort();
    }
  }

  void reads(Flow.Subscription subscription) {
    body = subscription;
    if (aborted) {
      abort();
    }
  }

  /**
   * Reports failures that the transport may keep to itself.
   *
   * @param isInBody whether the response is to contain the reply
   * @param awaited what whoever waits for the reply waits for
   */
  void watch(boolean isInBody, CompletableFuture<?> awaited) {
    hasReplyInBody = isInBody;
    reply = awaited;
  }

  /**
   * Nobody waits for the reply anymore. The HTTP client keeps the last exchange of an idle
   * connection, and would keep its reply.
   */
  void unwatch() {
    reply = null;
  }

  /** The exchange has failed. */
  void failed(Throwable failure) {
    CompletableFuture<?> awaited = reply;
    if (awaited != null) {
      awaited.completeExceptionally(failure);
    }
  }

  /** All of the response has been read: its connection may serve another request. */
  void completed() {
    complete = true;
  }

  /** What was read has been parsed, too: whoever waits for a reply in it has it, or is about to. */
  void delivered() {
    CompletableFuture<?> awaited = reply;
    if (hasReplyInBody && awaited != null && !awaited.isDone()) {
      CompletableFuture.delayedExecutor(DELIVERY.toMillis(), TimeUnit.MILLISECONDS)
          .execute(() -> failed(new UpstreamFailures.NoReplyException()));
    }
  }

  /** Lets the rest of a response arrive for a moment, so that its connection can be used again. */
  void end() {
    if (!complete) {
      CompletableFuture.delayedExecutor(LINGER.toMillis(), TimeUnit.MILLISECONDS)
          .execute(this::abort);
    }
  }

  /** Ends it, whatever it has come to: its connection is closed unless all was read. */
  void abort() {
    aborted = true;
    if (complete) {
      return;
    }
    CompletableFuture<?> future = response;
    if (future != null) {
      future.cancel(true);
    }
    Flow.Subscription subscription = body;
    if (subscription != null) {
      subscription.cancel();
    }
  }
}
