package dev.assay.operator.kubernetes.http;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the number of requests in flight; the others are sent in order of arrival, except that
 * those nothing depends on come after all others.
 */
final class RequestSlots {
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
    acquire(send, waiting);
  }

  /** The same for a request that waits until no other does. */
  void acquireLast(Runnable send) {
    acquire(send, waitingLast);
  }

  private void acquire(Runnable send, Queue<Runnable> queue) {
    lock.lock();
    try {
      if (free == 0) {
        queue.add(send);
        return;
      }
      free--;
    } finally {
      lock.unlock();
    }
    send.run();
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
