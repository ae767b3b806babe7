package dev.assay.api.kubernetes;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the number of requests in flight; the others are sent in order of arrival, except that
 * those nothing depends on come after all others.
 */
final class RequestSlots {
  /** How many of the requests that come last wait: more than those of some hundred runs. */
  static final int MAX_WAITING_LAST = 1000;

  private final Executor executor;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final Queue<Runnable> waitingLast = new ArrayDeque<>();
  private int free;

  /**
   * Creates slots that are all free.
   *
   * @param executor sends the requests that had to wait
   */
  RequestSlots(int slots, Executor executor) {
    this.free = slots;
    this.executor = executor;
  }

  /** Sends as soon as there is a free slot, which the caller must release. */
  void acquire(Runnable send) {
    boolean unused = acquire(send, waiting, Integer.MAX_VALUE);
  }

  /**
   * Waits on this thread for a free slot, which the caller must release.
   *
   * @return false if there was none in time
   */
  boolean await(Duration most) throws InterruptedException {
    CompletableFuture<Boolean> turn = new CompletableFuture<>();
    acquire(
        () -> {
          if (!turn.complete(true)) {
            release();
          }
        });
    turn.completeOnTimeout(false, most.toMillis(), TimeUnit.MILLISECONDS);
    try {
      return turn.get();
    } catch (InterruptedException e) {
      if (!turn.complete(false) && turn.join()) {
        release();
      }
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Sends as {@link #acquire} does, but only once no other request waits.
   *
   * @return false if too many such requests wait: it will not be sent
   */
  boolean acquireLast(Runnable send) {
    return acquire(send, waitingLast, MAX_WAITING_LAST);
  }

  private boolean acquire(Runnable send, Queue<Runnable> queue, int maxWaiting) {
    lock.lock();
    try {
      if (free == 0) {
        return queue.size() < maxWaiting && queue.add(send);
      }
      free--;
    } finally {
      lock.unlock();
    }
    send.run();
    return true;
  }

  void release() {
    Runnable next;
    lock.lock();
    try {
      next = waiting.isEmpty() ? waitingLast.poll() : waiting.poll();
      if (next == null) {
        free++;
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      // Not on this thread: requests that fail immediately would recurse without limit.
      executor.execute(next);
    }
  }
}
