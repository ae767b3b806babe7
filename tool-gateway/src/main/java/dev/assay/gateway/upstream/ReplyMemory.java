package dev.assay.gateway.upstream;

import dev.assay.gateway.definition.Json;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The memory for replies of all calls. A short reply takes nothing of it; a longer one takes what
 * has been read of it, before it is read on, so that a server that sends slowly holds no more than
 * it has sent. One server takes at most a quarter, the servers of one namespace half.
 */
public final class ReplyMemory {
  private static final int UNIT = 1024;

  /** A reply is in memory as bytes, as text, and as what the operator is sent. */
  private static final int COPIES = 6;

  /** What a bracket, a colon or a comma of JSON takes as a value of a tree, in all its copies. */
  private static final int STRUCTURE = 120;

  /** Up to here a reply is short. */
  private static final long FREE = 128 << 10;

  /** How much is taken at a time. */
  private static final int STEP = 64;

  private final int total;
  private final Semaphore units;
  private final Map<String, Semaphore> ofNamespaces = new ConcurrentHashMap<>();

  /**
   * A budget.
   *
   * @param bytes of all replies together
   */
  public ReplyMemory(long bytes) {
    this.total = Math.clamp(bytes / UNIT, STEP, Integer.MAX_VALUE);
    this.units = new Semaphore(total, true);
  }

  /** The part of one server. */
  Part part(String namespace) {
    return new Part(ofNamespaces.computeIfAbsent(namespace, key -> new Semaphore(half(), true)));
  }

  private int half() {
    return Math.max(1, total / 2);
  }

  private int quarter() {
    return Math.max(1, total / 4);
  }

  /** What one server may take. */
  final class Part {
    private final Semaphore ofNamespace;
    private final Semaphore ofServer = new Semaphore(quarter(), true);

    private Part(Semaphore ofNamespace) {
      this.ofNamespace = ofNamespace;
    }

    /** A share that holds nothing yet. */
    Share share() {
      return new Share(this);
    }
  }

  /** What one reply holds. Only the thread that reads the reply has it take more. */
  final class Share implements AutoCloseable {
    private final Part part;
    private int held;
    private boolean closed;

    private Share(Part part) {
      this.part = part;
    }

    /**
     * Takes the memory of what has been read so far, if it does not have it.
     *
     * @param bytes that were read
     * @param structures brackets, colons and commas among them
     * @return false if it was not to be had in time, or the call is over
     */
    boolean hold(long bytes, long structures, long millis) throws InterruptedException {
      long weight = bytes * COPIES + Math.min(structures, Json.MAX_TOKENS) * STRUCTURE;
      if (weight <= FREE) {
        return true;
      }
      int wanted = (int) Math.min(total, (weight / UNIT / STEP + 1) * STEP);
      int before;
      synchronized (this) {
        before = held;
      }
      return wanted <= before || grow(before, wanted, millis);
    }

    private boolean grow(int before, int wanted, long millis) throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      // A reply that is longer than the part of its server takes all of that.
      int ofServer = Math.min(quarter(), wanted) - Math.min(quarter(), before);
      int ofNamespace = Math.min(half(), wanted) - Math.min(half(), before);
      if (!acquire(part.ofServer, ofServer, end)) {
        return false;
      }
      if (!acquire(part.ofNamespace, ofNamespace, end)) {
        part.ofServer.release(ofServer);
        return false;
      }
      boolean acquired = acquire(units, wanted - before, end);
      synchronized (this) {
        if (acquired && !closed) {
          held = wanted;
          return true;
        }
      }
      part.ofServer.release(ofServer);
      part.ofNamespace.release(ofNamespace);
      units.release(acquired ? wanted - before : 0);
      return false;
    }

    private static boolean acquire(Semaphore semaphore, int permits, long end)
        throws InterruptedException {
      return permits == 0
          || semaphore.tryAcquire(permits, end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Gives back all that it holds, and may take more. */
    synchronized void release() {
      part.ofServer.release(Math.min(quarter(), held));
      part.ofNamespace.release(Math.min(half(), held));
      units.release(held);
      held = 0;
    }

    @Override
    public synchronized void close() {
      closed = true;
      release();
    }
  }
}
