package dev.assay.operator.kubernetes.http;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/** Limits the number of requests in flight; the others are sent in order of arrival. */
final class RequestSlots {
  private final Executor executor;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
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
    lock.lock();
    try {
      if (free == 0) {
        waiting.add(send);
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
      next = waiting.poll();
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
