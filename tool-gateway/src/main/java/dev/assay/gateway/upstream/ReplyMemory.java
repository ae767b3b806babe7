package dev.assay.gateway.upstream;

import dev.assay.gateway.definition.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The memory for replies of all calls. A short reply takes nothing of it; a longer one takes what
 * has been read of it, before it is read on, so that a server that sends slowly holds no more than
 * it has sent. One server takes at most a quarter, the servers of one namespace half.
 *
 * <p>Replies that hold memory and wait for more must not wait for each other. So one reply of each
 * server, of each namespace and of all exceeds its limit: the first that finds it reached, until it
 * has been read. Only a reply that exceeds the limits below exceeds the one above, so the one that
 * exceeds that of all never waits. All replies together take at most the limit, and what one takes
 * beyond it.
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

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private final Limit ofAll;
  private final Map<String, Limit> ofNamespaces = new ConcurrentHashMap<>();

  /** How much some replies may take together, in units; guarded by the lock. */
  private static final class Limit {
    private final long units;
    private long taken;

    /** The reply that may exceed it. */
    private @Nullable Share beyond;

    private Limit(long units) {
      this.units = Math.max(1, units);
    }

    private boolean has(long more) {
      return taken + more <= units;
    }

    private boolean isExceededByNoneBut(Share share) {
      return beyond == null || beyond == share;
    }

    private void giveBack(Share share, long held) {
      taken -= held;
      if (beyond == share) {
        beyond = null;
      }
    }
  }

  /**
   * A budget.
   *
   * @param bytes of all replies together
   */
  public ReplyMemory(long bytes) {
    this.ofAll = new Limit(Math.max(bytes / UNIT, STEP));
  }

  /** The part of one server. */
  Part part(String namespace) {
    return new Part(
        ofNamespaces.computeIfAbsent(namespace, key -> new Limit(ofAll.units / 2)),
        new Limit(ofAll.units / 4));
  }

  /** What one server may take. */
  final class Part {
    /** From the narrowest to the widest. */
    private final List<Limit> limits;

    private Part(Limit ofNamespace, Limit ofServer) {
      this.limits = List.of(ofServer, ofNamespace, ofAll);
    }

    /** A share that holds nothing yet. */
    Share share() {
      return new Share(limits);
    }
  }

  /** What one reply holds. Only the thread that reads the reply has it take more. */
  final class Share implements AutoCloseable {
    private final List<Limit> limits;
    private long held;
    private boolean closed;

    private Share(List<Limit> limits) {
      this.limits = limits;
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
      return weight <= FREE || grow((weight / UNIT / STEP + 1) * STEP, millis);
    }

    private boolean grow(long wanted, long millis) throws InterruptedException {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      lock.lock();
      try {
        while (!closed && wanted > held) {
          if (mayTake(wanted - held)) {
            take(wanted - held);
          } else if (left <= 0) {
            return false;
          } else {
            left = released.awaitNanos(left);
          }
        }
        return !closed;
      } finally {
        lock.unlock();
      }
    }

    /** Where it exceeds a limit it exceeds all below, which another reply may be exceeding. */
    private boolean mayTake(long more) {
      return exceeded(more).stream().allMatch(limit -> limit.isExceededByNoneBut(this));
    }

    private void take(long more) {
      exceeded(more).forEach(limit -> limit.beyond = this);
      limits.forEach(limit -> limit.taken += more);
      held += more;
    }

    private List<Limit> exceeded(long more) {
      int widest = limits.size() - 1;
      while (widest >= 0 && limits.get(widest).has(more)) {
        widest--;
      }
      return limits.subList(0, widest + 1);
    }

    /** Whether it has memory to give back. */
    boolean isHolding() {
      lock.lock();
      try {
        return held > 0;
      } finally {
        lock.unlock();
      }
    }

    /** Gives back all that it holds, and may take more. */
    void release() {
      lock.lock();
      try {
        limits.forEach(limit -> limit.giveBack(this, held));
        held = 0;
        released.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        closed = true;
        release();
      } finally {
        lock.unlock();
      }
    }
  }
}
