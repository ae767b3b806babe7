package dev.assay.frontend.watch;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Follows one object. Only its newest state is kept: whoever waits is never behind.
 *
 * @param <T> its kind
 */
public final class Subscription<T> implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Runnable unsubscribe;
  private @Nullable Change<T> unseen;
  private boolean woken;

  /** A subscription that {@code unsubscribe} ends. */
  public Subscription(Runnable unsubscribe) {
    this.unsubscribe = unsubscribe;
  }

  /**
   * Hands over a newer state. Of a deleted object the state that came before is kept where it was
   * not seen yet: a deletion that was missed is told of without it.
   */
  public void publish(Change<T> change) {
    lock.lock();
    try {
      unseen = change.deleted() && unseen != null ? new Change<>(unseen.object(), true) : change;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current wait early, or else the next one. */
  public void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The newest state not returned before; null where there is none within the time, or on {@link
   * #wake}.
   */
  public @Nullable Change<T> next(Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (unseen == null && !woken && left > 0) {
        left = changed.awaitNanos(left);
      }
      Change<T> change = unseen;
      unseen = null;
      woken = false;
      return change;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    unsubscribe.run();
  }
}
