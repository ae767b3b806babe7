package dev.assay.frontend.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that requests may take all together: their bodies while they are read, and what was
 * read of them until they are answered. Whoever finds none left is asked to try again.
 */
public final class RequestMemory {
  /** Leaves the larger part of the heap to the caches and to replies. */
  private static final int PART_OF_HEAP = 4;

  private final AtomicLong free;

  /** Memory of so many bytes. */
  public RequestMemory(long bytes) {
    this.free = new AtomicLong(bytes);
  }

  /**
   * A part of this process' heap, and never too little for one request.
   *
   * @param maxRequestBytes of a body
   */
  public static RequestMemory ofHeap(int maxRequestBytes) {
    long forOne = (long) RequestBody.HEAP_PER_BYTE * maxRequestBytes;
    return new RequestMemory(Math.max(Runtime.getRuntime().maxMemory() / PART_OF_HEAP, forOne));
  }

  /** The part of one request, with nothing in it yet. */
  Share share() {
    return new Share();
  }

  /** What one request takes. Of one thread. */
  final class Share implements AutoCloseable {
    private long held;

    /** Takes as much more or gives as much back as it needs to hold; false where there is none. */
    boolean hold(long bytes) {
      long more = bytes - held;
      long before = free.getAndUpdate(left -> left >= more ? left - more : left);
      boolean done = before >= more;
      if (done) {
        held = bytes;
      }
      return done;
    }

    @Override
    public void close() {
      free.addAndGet(held);
      held = 0;
    }
  }
}
