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
 * exceeds that of all never waits. All replies together take at most the limit of all, and what one
 * takes beyond it. So that limit is half of the budget, and no reply is heavier than the other
 * half.
 */
public final class ReplyMemory {
  /** Up to this weight a reply is short. */
  public static final long SHORT = 32 << 10;

  private static final int UNIT = 1024;

  /** A reply is in memory as bytes, as text, and as what the operator is sent. */
  private static final int COPIES = 6;

  /** What a bracket, a colon or a comma of JSON takes as a value of a tree, in all its copies. */
  private static final int STRUCTURE = 120;

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

    private boolean isExceededBy(Share share) {
      return beyond == share && taken > units;
    }
  }

  /**
   * A budget.
   *
   * @param bytes of all replies together, without the short ones
   */
  public ReplyMemory(long bytes) {
    this.ofAll = new Limit(Math.max(bytes / 2 / UNIT, STEP));
  }

  /** What a reply takes, for its length and how many brackets, colons and commas it has. */
  static long weight(long bytes, long structures) {
    return bytes * COPIES + Math.min(structures, Json.MAX_TOKENS) * STRUCTURE;
  }

  /** What one reply may take at most. */
  long heaviest() {
    return ofAll.units * UNIT;
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

  /** What one reply holds, or those with the pages of one list; guarded by the lock. */
  final class Share implements AutoCloseable {
    private final List<Limit> limits;
    private long held;
    private boolean closed;

    /** How many threads deal with what was read. */
    private int users;

    /** The weight of what stays of earlier replies. */
    private long kept;

    private boolean tooHeavy;

    private Share(List<Limit> limits) {
      this.limits = limits;
    }

    /**
     * Takes the memory of what has been read so far, if it does not have it.
     *
     * @param bytes that were read
     * @param structures brackets, colons and commas among them
     * @return false if it was not to be had in time, the reply is too heavy, or the call is over
     */
    boolean hold(long bytes, long structures, long millis) throws InterruptedException {
      lock.lock();
      try {
        long weight = kept + weight(bytes, structures);
        return isLightEnough(weight) && (weight <= SHORT || grow(units(weight), millis));
      } finally {
        lock.unlock();
      }
    }

    private boolean isLightEnough(long weight) {
      tooHeavy |= weight > heaviest();
      return !tooHeavy;
    }

    private long units(long weight) {
      return weight <= SHORT ? 0 : Math.min((weight / UNIT / STEP + 1) * STEP, ofAll.units);
    }

    /** Whether it was asked for more than any reply may take. */
    boolean isTooHeavy() {
      lock.lock();
      try {
        return tooHeavy;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Counts what stays of a reply beside those that are read next. It does not wait: it may be
     * held while another share waits for the rest. So it exceeds no limit but that of its server.
     *
     * @return whether there is memory for it
     */
    boolean keep(long weight) {
      lock.lock();
      try {
        kept += weight;
        long more = units(kept) - held;
        if (closed || !isLightEnough(kept) || (more > 0 && !mayKeep(more))) {
          return false;
        }
        if (more > 0) {
          take(more);
        }
        return true;
      } finally {
        lock.unlock();
      }
    }

    private boolean mayKeep(long more) {
      return exceeded(more).stream()
          .allMatch(
              limit ->
                  limit.beyond == this || (limit.beyond == null && limit == limits.getFirst()));
    }

    private boolean grow(long wanted, long millis) throws InterruptedException {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
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

    /** Whether it holds any memory. */
    boolean isHolding() {
      lock.lock();
      try {
        return held > 0;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Has another share of the same server hold what this one holds, unless that one is closed:
     * what was read of a stream is that of the reply in it.
     */
    void moveTo(Share other) {
      lock.lock();
      try {
        if (other.closed) {
          return;
        }
        for (Limit limit : limits) {
          if (limit.beyond == this) {
            limit.beyond = other;
          }
        }
        // What the page of a list before it has had serves it, too, as far as it goes.
        long wanted = Math.max(other.held, other.units(other.kept) + held);
        long surplus = other.held + held - wanted;
        other.held += held;
        held = 0;
        other.giveBack(surplus);
      } finally {
        lock.unlock();
      }
    }

    /**
     * Begins to parse what was read. It is held until {@link #endUse()}, also if it is closed
     * before: the call may time out meanwhile, and another would take its memory.
     *
     * @return false if it was closed, and holds nothing
     */
    boolean beginUse() {
      lock.lock();
      try {
        users += closed ? 0 : 1;
        return !closed;
      } finally {
        lock.unlock();
      }
    }

    /** Has parsed what was read. */
    void endUse() {
      lock.lock();
      try {
        users--;
        giveBackIfOver();
      } finally {
        lock.unlock();
      }
    }

    private void giveBackIfOver() {
      if (closed && users == 0) {
        giveBack(held);
      }
    }

    /** Gives back what it holds beyond what has been read since; it may take more. */
    void shrink(long bytes, long structures) {
      lock.lock();
      try {
        giveBack(held - units(kept + weight(bytes, structures)));
      } finally {
        lock.unlock();
      }
    }

    private void giveBack(long units) {
      if (units <= 0) {
        return;
      }
      held -= units;
      boolean isBeyondWider = false;
      for (Limit limit : limits.reversed()) {
        limit.taken -= units;
        isBeyondWider |= limit.isExceededBy(this);
        if (limit.beyond == this && !isBeyondWider) {
          limit.beyond = null;
        }
      }
      released.signalAll();
    }

    @Override
    public void close() {
      lock.lock();
      try {
        closed = true;
        giveBackIfOver();
        released.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
