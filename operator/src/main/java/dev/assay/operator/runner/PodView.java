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

/** One Pod as the informer sees it, and a way to wait for it to change. */
public final class PodView {
  private final Supplier<Optional<Pod>> lookup;
  private final String uid;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong changes = new AtomicLong();

  /**
   * A view of a Pod.
   *
   * @param lookup finds a Pod by its name in a cache
   * @param uid the Pod that is meant; another one of that name is not it
   */
  public PodView(Supplier<Optional<Pod>> lookup, String uid) {
    this.lookup = lookup;
    this.uid = uid;
  }

  /** The Pod as it is known now; empty where it is gone. */
  public Optional<Pod> now() {
    return lookup.get().filter(pod -> pod.getMetadata().getUid().equals(uid));
  }

  /** To be called whenever the Pod may have changed. */
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
   * Waits until the Pod fits, or is gone, or the time is over.
   *
   * @return whether it fits or is gone
   */
  public boolean await(Predicate<Pod> fits, Duration atMost) throws InterruptedException {
    return awaitUntil(() -> now().filter(fits.negate()).isEmpty(), atMost);
  }

  /** How often the Pod may have changed until now. */
  long changes() {
    return changes.get();
  }

  /** Waits for a change after {@link #changes} was asked, or for the time to be over. */
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
