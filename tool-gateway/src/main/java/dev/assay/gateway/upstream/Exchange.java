package dev.assay.gateway.upstream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** One HTTP request to a server and its response: its limit, how far it came, and its end. */
final class Exchange {
  private final long maxBytes;
  private final ReplyMemory.Share memory;
  private volatile int status;
  private volatile boolean aborted;
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

  /** Ends it, whatever it has come to: its connection is closed unless all was read. */
  void abort() {
    aborted = true;
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
