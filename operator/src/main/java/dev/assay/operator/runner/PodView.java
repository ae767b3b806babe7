package dev.assay.operator.runner;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** One Pod in the informer's cache, and a way to wait for changes. */
public final class PodView {
  private final Supplier<Optional<Pod>> lookup;
  private final String uid;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong changes = new AtomicLong();

  /**
   * Creates a view of a Pod.
   *
   * @param lookup finds a Pod by its name in a cache
   * @param uid the Pod's UID; a newer Pod of the same name is ignored
   */
  public PodView(Supplier<Optional<Pod>> lookup, String uid) {
    this.lookup = lookup;
    this.uid = uid;
  }

  /** The cached Pod; empty if it was deleted. */
  public Optional<Pod> now() {
    return lookup.get().filter(pod -> pod.getMetadata().getUid().equals(uid));
  }

  /** Must be called whenever the Pod may have changed. */
  public void podChanged() {
    lock.lock();
    try {
      changes.incrementAndGet();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the Pod matches, or is deleted, or the timeout expires.
   *
   * @return whether it matches or is deleted
   */
  public boolean await(Predicate<Pod> fits, Duration atMost) throws InterruptedException {
    return awaitUntil(() -> now().filter(fits.negate()).isEmpty(), atMost);
  }

  /** The number of possible changes so far. */
  long changes() {
    return changes.get();
  }

  /**
   * Waits for a change after {@link #changes} returned {@code seen}, or until the timeout expires.
   */
  void awaitChangeSince(long seen, Duration atMost) throws InterruptedException {
    awaitUntil(() -> changes.get() != seen, atMost);
  }

  private boolean awaitUntil(BooleanSupplier holds, Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lock();
    try {
      while (!holds.getAsBoolean()) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
