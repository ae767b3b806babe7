package dev.assay.local.kubelet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a container has written: the last bytes of it, in a file of bounded size. Positions count
 * from the first byte ever written. The file is closed when the last of those has released it who
 * use it: whoever made it is the first.
 */
final class ContainerLog {
  private final int capacity;
  private final FileChannel file;
  private long written;
  private boolean complete;
  private int users = 1;

  /**
   * An empty log.
   *
   * @param path a new file
   * @param capacity how many bytes are kept
   */
  ContainerLog(Path path, int capacity) throws IOException {
    this.capacity = capacity;
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Adds what was written, in place of the oldest where there is no more room. */
  synchronized void append(byte[] bytes, int length) throws IOException {
    for (int from = 0; from < length; ) {
      int at = (int) (written % capacity);
      int part = Math.min(length - from, capacity - at);
      file.write(ByteBuffer.wrap(bytes, from, part), at);
      from += part;
      written += part;
    }
    notifyAll();
  }

  /** Says that nothing more will come. */
  synchronized void complete() {
    complete = true;
    notifyAll();
  }

  /** The position of the oldest byte that is kept. */
  synchronized long oldest() {
    return Math.max(0, written - capacity);
  }

  /** The position after the newest byte. */
  synchronized long end() {
    return written;
  }

  /**
   * Waits until there is something at a position.
   *
   * @return whether there is, or ever will be
   */
  synchronized boolean awaitMore(long position) throws InterruptedException {
    while (position >= written && !complete) {
      wait();
    }
    return position < written;
  }

  /**
   * Reads from a position, or from the oldest byte where that is newer.
   *
   * @return the position after what was read
   */
  synchronized long read(long position, ByteBuffer target) {
    long from = Math.max(position, oldest());
    try {
      while (from < written && target.hasRemaining()) {
        int at = (int) (from % capacity);
        int part = (int) Math.min(written - from, Math.min(target.remaining(), capacity - at));
        ByteBuffer slice = target.slice(target.position(), part);
        while (slice.hasRemaining() && file.read(slice, at + slice.position()) > 0) {
          // A read may give less than was asked for.
        }
        target.position(target.position() + part);
        from += part;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return from;
  }

  /** Counts one more who uses it. */
  synchronized void retain() {
    users++;
  }

  /** Counts one less. */
  synchronized void release() {
    users--;
    if (users == 0) {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
