package dev.assay.frontend.http;

import jakarta.servlet.ServletOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The body of an answer that takes its time. While nothing else is written something that means
 * nothing is, so that proxies keep the connection, and so that a client that is gone is noticed.
 */
final class LiveOutput implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LiveOutput.class);

  private final ServletOutputStream out;
  private final byte[] filler;
  private final Duration heartbeat;
  private final Runnable onDisconnect;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition finished = lock.newCondition();
  private long lastWrite = System.nanoTime();
  private boolean begun;
  private boolean closed;
  private boolean broken;

  /**
   * An output with a heartbeat, until it is closed.
   *
   * @param filler what the client reads over
   * @param heartbeat longest silence
   * @param onDisconnect called at most once, when the client has disconnected
   */
  LiveOutput(ServletOutputStream out, byte[] filler, Duration heartbeat, Runnable onDisconnect) {
    this.out = out;
    this.filler = filler.clone();
    this.heartbeat = heartbeat;
    this.onDisconnect = onDisconnect;
    Thread.ofVirtual().name("heartbeat").start(this::beat);
  }

  /** Writes in one go; does nothing after the client has disconnected. */
  void write(byte[]... parts) {
    write(() -> {}, parts);
  }

  /**
   * Writes.
   *
   * @param ifFirst done before that, where nothing was written so far
   */
  void write(Runnable ifFirst, byte[]... parts) {
    boolean newlyBroken = false;
    lock.lock();
    try {
      if (closed || broken) {
        return;
      }
      if (!begun) {
        ifFirst.run();
      }
      begun = true;
      for (byte[] part : parts) {
        out.write(part);
      }
      out.flush();
      lastWrite = System.nanoTime();
    } catch (IOException e) {
      broken = true;
      newlyBroken = true;
      log.debug("the client has disconnected: {}", e.getMessage());
    } finally {
      lock.unlock();
    }
    if (newlyBroken) {
      onDisconnect.run();
    }
  }

  /**
   * Ends the output without a byte, if nothing was written so far.
   *
   * @param prepare done before that
   * @return whether it has ended
   */
  boolean endEmptyIfNotBegun(Runnable prepare) {
    lock.lock();
    try {
      boolean isFirst = !begun;
      if (isFirst) {
        write(prepare);
      }
      return isFirst;
    } finally {
      lock.unlock();
    }
  }

  private void beat() {
    lock.lock();
    try {
      while (!closed && !broken) {
        long due = lastWrite + heartbeat.toNanos() - System.nanoTime();
        if (due > 0) {
          var unused = finished.awaitNanos(due);
        } else {
          write(filler);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      finished.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
