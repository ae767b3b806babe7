package dev.assay.operator.tool;

import java.util.concurrent.Semaphore;

/**
 * The memory of all outcomes that are being received, so that many long ones at once take turns.
 */
final class ReplyMemory {
  private static final int UNIT = 1024;

  /** A response is there as bytes, as base64 text, decoded, and as the envelope. */
  private static final int COPIES = 4;

  private final int units;
  private final Semaphore free;

  ReplyMemory(long bytes) {
    this.units = (int) (bytes / UNIT);
    this.free = new Semaphore(units, /* fair= */ true);
  }

  /** A part of the memory, which is free again once this is closed. */
  final class Part implements AutoCloseable {
    private final int size;

    private Part(int size) {
      this.size = size;
    }

    @Override
    public void close() {
      free.release(size);
    }
  }

  /** Waits until a response of a length can be received. */
  Part take(long length) throws InterruptedException {
    int size = Math.clamp(length * COPIES / UNIT, 1, units);
    free.acquire(size);
    return new Part(size);
  }
}
