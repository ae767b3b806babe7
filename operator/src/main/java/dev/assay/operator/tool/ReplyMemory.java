package dev.assay.operator.tool;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * The memory of replies, so that many long ones at once take turns. Those of one address take at
 * most half of it: a replica that sends slowly delays no reply of another one.
 */
final class ReplyMemory {
  private static final int UNIT = 1024;

  /** A response is there as bytes, as base64 text, decoded, and as the envelope. */
  private static final int COPIES = 4;

  /** Up to here a reply is short, and takes nothing. */
  private static final int MAX_SHORT_BYTES = 64 * 1024;

  private final int half;
  private final Semaphore free;

  /** Pods get the same addresses again: there are few. */
  private final Map<String, Semaphore> ofAddresses = new ConcurrentHashMap<>();

  ReplyMemory(long bytes) {
    this.half = (int) (bytes / UNIT / 2);
    this.free = new Semaphore(2 * half, /* fair= */ true);
  }

  /** A part of the memory, which is free again once this is closed. */
  final class Part implements AutoCloseable {
    private final Semaphore ofAddress;
    private final int size;

    private Part(Semaphore ofAddress, int size) {
      this.ofAddress = ofAddress;
      this.size = size;
    }

    @Override
    public void close() {
      free.release(size);
      ofAddress.release(size);
    }
  }

  /**
   * Waits until a response can be received.
   *
   * @param address where it comes from
   * @param length how long it is at most
   */
  Part take(String address, long length) throws InterruptedException {
    Semaphore ofAddress =
        ofAddresses.computeIfAbsent(address, key -> new Semaphore(half, /* fair= */ true));
    if (length <= MAX_SHORT_BYTES) {
      // Not even a place in the queue, where the semaphore would have it wait.
      return new Part(ofAddress, 0);
    }
    int size = Math.clamp(length * COPIES / UNIT, 1, half);
    // In this order, so that what waits for its address takes nothing from the others.
    ofAddress.acquire(size);
    try {
      free.acquire(size);
    } catch (InterruptedException e) {
      ofAddress.release(size);
      throw e;
    }
    return new Part(ofAddress, size);
  }
}
