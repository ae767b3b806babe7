package dev.assay.frontend.http;

import dev.assay.frontend.limit.SharedQuota;
import dev.assay.frontend.watch.Stopwatch;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/** Reads the body of a request within limits of its size, its time, and the memory of all. */
sealed interface RequestBody {
  /** A buffer that grows by doubling, and a copy of what is in it at the end. */
  int HEAP_PER_BYTE = 3;

  /** The most that a byte takes when it is read as an argument: see the reader of the JSON. */
  int HEAP_PER_CALL_BYTE = 4;

  /** How long a body may take. */
  Duration MAX_TIME = Duration.ofMinutes(1);

  /** How long no byte may arrive. */
  Duration MAX_STALL = Duration.ofSeconds(10);

  /** All of it. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Whole(byte[] bytes) implements RequestBody {}

  /** It has more bytes than any may have. */
  record TooLong() implements RequestBody {}

  /** It did not come to its end in time. */
  record TooSlow() implements RequestBody {}

  /**
   * There is no memory for it now.
   *
   * @param why what the quota decided
   */
  record NoRoom(SharedQuota.Decision why) implements RequestBody {}

  /**
   * What a body may be.
   *
   * @param bytes maximum number of them
   * @param time how long it may take, by the number of bytes that have arrived
   * @param maxTime after which the connection is closed, whatever has arrived
   */
  record Bounds(int bytes, IntFunction<Duration> time, Duration maxTime) {}

  /**
   * How long a body may take: 10 s, and a second more for each 256 KiB that has arrived, up to a
   * minute. A body that stops arriving is given up after {@link #MAX_STALL}.
   */
  static Duration maxTime(int received) {
    return Duration.ofSeconds(
        Math.min(MAX_TIME.toSeconds(), MAX_STALL.toSeconds() + received / (256 * 1024)));
  }

  /** Takes it in; the share holds what is read of it. */
  static RequestBody of(HttpServletRequest request, Bounds bounds, RequestMemory.Share share)
      throws IOException {
    if (request.getContentLengthLong() > bounds.bytes) {
      return new TooLong();
    }
    EndPoint connection = Connections.of(request);
    long idle = connection.getIdleTimeout();
    // Bytes of the framing end no read: only this ends a request that has nothing else.
    Scheduler.Task deadline =
        Connections.schedulerOf(request)
            .schedule(connection::close, bounds.maxTime.toMillis(), TimeUnit.MILLISECONDS);
    try {
      return of(
          request.getInputStream(),
          bounds,
          share,
          left ->
              connection.setIdleTimeout(
                  Math.clamp(left.toMillis(), 1, Math.min(idle, MAX_STALL.toMillis()))));
    } finally {
      deadline.cancel();
      connection.setIdleTimeout(idle);
    }
  }

  /**
   * Takes in a body of unknown length.
   *
   * @param beforeRead is told how long the next read may wait
   */
  static RequestBody of(
      InputStream stream, Bounds bounds, RequestMemory.Share share, Consumer<Duration> beforeRead)
      throws IOException {
    Stopwatch watch = new Stopwatch();
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    byte[] piece = new byte[16 * 1024];
    while (true) {
      Duration left = watch.left(bounds.time.apply(taken.size()));
      if (left.isNegative()) {
        return new TooSlow();
      }
      beforeRead.accept(left);
      int read;
      try {
        read = stream.read(piece);
      } catch (IOException e) {
        if (e.getCause() instanceof TimeoutException) {
          return new TooSlow();
        }
        throw e;
      }
      if (read < 0) {
        return new Whole(taken.toByteArray());
      }
      if (taken.size() + read > bounds.bytes) {
        return new TooLong();
      }
      SharedQuota.Decision decision = share.hold((long) HEAP_PER_BYTE * (taken.size() + read));
      if (decision != SharedQuota.Decision.GRANTED) {
        return new NoRoom(decision);
      }
      taken.write(piece, 0, read);
    }
  }
}
