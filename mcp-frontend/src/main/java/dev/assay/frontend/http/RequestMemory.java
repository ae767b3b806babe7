package dev.assay.frontend.http;

import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;

/**
 * The memory that requests may take all together, and those of one caller: their bodies while they
 * are read, and what was read of them until it has been used. A request that finds none left is
 * refused and can be retried.
 */
public final class RequestMemory {
  /** Leaves the larger part of the heap to the caches and to replies. */
  private static final int PART_OF_HEAP = 4;

  private final SharedQuota<Identity> quota;

  /** A budget in bytes, all of which one caller may take. */
  public RequestMemory(long bytes) {
    this(bytes, bytes);
  }

  /** A budget in bytes, of all callers and of each of them. */
  public RequestMemory(long bytes, long bytesPerCaller) {
    this.quota = new SharedQuota<>(bytes, bytesPerCaller);
  }

  /**
   * A part of this process' heap, half of which one caller may take where callers are
   * distinguished. There is always enough for one request of each of two callers.
   */
  public static RequestMemory ofHeap(FrontEndConfig config) {
    long forOne = (long) RequestBody.HEAP_PER_CALL_BYTE * config.limits().requestBytes();
    long all = Math.max(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, 2 * forOne);
    return new RequestMemory(all, config.tellsCallersApart() ? all / 2 : all);
  }

  /** The part of one request, with nothing in it yet. */
  Share share(Identity caller) {
    return new Share(caller.asCaller());
  }

  /** What one request takes. */
  final class Share implements AutoCloseable {
    private final Identity caller;
    private long held;

    private Share(Identity caller) {
      this.caller = caller;
    }

    /** Takes as much more or gives as much back as it needs to hold. */
    synchronized SharedQuota.Decision hold(long bytes) {
      if (bytes <= held) {
        keep(bytes);
        return SharedQuota.Decision.GRANTED;
      }
      SharedQuota.Decision decision = quota.take(caller, bytes - held);
      if (decision == SharedQuota.Decision.GRANTED) {
        held = bytes;
      }
      return decision;
    }

    /** Gives back what is above this. */
    synchronized void keep(long bytes) {
      if (bytes < held) {
        quota.give(caller, held - bytes);
        held = bytes;
      }
    }

    @Override
    public void close() {
      keep(0);
    }
  }
}
