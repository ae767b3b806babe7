package dev.assay.operator.runner;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The events of a run, read with limits on line length, total size, rate and silence, and in order.
 */
public final class EventStream implements AutoCloseable {
  /** The runner pings every 5 s; three missed pings mean a dead connection. */
  private static final long MAX_SILENCE_SECONDS = 16;

  /**
   * Above what a runner needs: it sends output every 25 ms, in events of up to 32 KiB, and repeats
   * many events after a lost connection.
   */
  private static final int MAX_LINES_PER_WINDOW = 1000;

  private static final Duration WINDOW = Duration.ofMillis(100);

  private final InputStream body;
  private final byte[] buffer = new byte[64 * 1024];

  /** What was read and is not used yet: from here up to {@code filled}. */
  private int position;

  private int filled;
  private final ScheduledExecutorService timer;
  private final long maxTotalBytes;
  private final LineRateLimiter rate = new LineRateLimiter(MAX_LINES_PER_WINDOW, WINDOW);
  private long totalBytes;
  private long lastSeq;
  private volatile @Nullable ScheduledFuture<?> end;

  EventStream(InputStream body, ScheduledExecutorService timer, long afterSeq, long maxTotalBytes) {
    this.body = body;
    this.timer = timer;
    this.lastSeq = afterSeq;
    this.maxTotalBytes = maxTotalBytes;
  }

  /**
   * Waits for the next event.
   *
   * @throws IOException if the connection was lost or silent; attach again
   * @throws ProtocolViolationException if the runner violated the protocol
   */
  public RunnerEvent next() throws IOException, ProtocolViolationException {
    while (true) {
      rate.pass();
      Optional<RunnerEvent> event = EventParser.parse(readLine());
      if (event.isPresent()) {
        if (event.get().seq() != lastSeq + 1) {
          throw new ProtocolViolationException(
              "event " + event.get().seq() + " came after event " + lastSeq);
        }
        lastSeq = event.get().seq();
        return event.get();
      }
    }
  }

  private byte[] readLine() throws IOException, ProtocolViolationException {
    ScheduledFuture<?> silence = timer.schedule(this::close, MAX_SILENCE_SECONDS, TimeUnit.SECONDS);
    try {
      ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
      while (true) {
        fill();
        int from = position;
        boolean isComplete = skipToLineFeed();
        int length = position - from;
        totalBytes += isComplete ? length + 1 : length;
        if (totalBytes > maxTotalBytes) {
          throw new ProtocolViolationException(
              "the runner sent more than " + maxTotalBytes + " bytes");
        }
        if (line.size() + length > EventParser.MAX_LINE_BYTES) {
          throw new ProtocolViolationException("an event exceeds the maximum line length");
        }
        line.write(buffer, from, length);
        if (isComplete) {
          position++;
          return line.toByteArray();
        }
      }
    } finally {
      silence.cancel(false);
    }
  }

  /** Reads more, unless there is something that was not used yet. */
  private void fill() throws IOException {
    if (position < filled) {
      return;
    }
    position = 0;
    filled = Math.max(body.read(buffer), 0);
    if (filled == 0) {
      throw new EOFException("the runner closed the connection");
    }
  }

  /** Returns whether there is one in what was read. */
  private boolean skipToLineFeed() {
    while (position < filled && buffer[position] != '\n') {
      position++;
    }
    return position < filled;
  }

  /** Closes the stream after this time at the latest, even if it still sends data. */
  void closeAfter(Duration atMost) {
    end = timer.schedule(this::close, atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    if (end != null) {
      end.cancel(false);
    }
    try {
      body.close();
    } catch (IOException e) {
      // The connection is abandoned either way.
    }
  }
}
