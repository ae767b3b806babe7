package dev.assay.gateway.upstream;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory for replies of all calls. A short reply takes nothing of it; a longer one reserves all
 * that it may need at once, before more of it is read, so that no two wait for each other.
 */
public final class ReplyMemory {
  private static final int UNIT = 1024;

  /** A reply is in memory as bytes, as text, as a tree, and as what the operator is sent. */
  private static final int COPIES = 6;

  private final Semaphore units;
  private final int total;

  /**
   * A budget.
   *
   * @param bytes of all replies together
   */
  public ReplyMemory(long bytes) {
    this.total = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.units = new Semaphore(total, true);
  }

  /** A share that holds nothing yet. */
  Share share() {
    return new Share();
  }

  /** What one call holds. */
  final class Share implements AutoCloseable {
    private final AtomicInteger held = new AtomicInteger();

    /**
     * Waits for the memory of a reply, once; later calls return at once.
     *
     * @param bytes of the reply
     * @return false if it was not to be had in time
     */
    boolean reserve(long bytes, long millis) throws InterruptedException {
      if (held.get() > 0) {
        return true;
      }
      int wanted = (int) Math.min(total, Math.max(1, bytes * COPIES / UNIT));
      if (!units.tryAcquire(wanted, millis, TimeUnit.MILLISECONDS)) {
        return false;
      }
      held.set(wanted);
      return true;
    }

    @Override
    public void close() {
      units.release(held.getAndSet(0));
    }
  }
}
