package dev.assay.frontend.http;

import dev.assay.frontend.watch.Stopwatch;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Takes in the body of a request, as far as it and the memory of all requests go. */
sealed interface RequestBody {
  /** A buffer that grows by doubling, and a copy of what is in it at the end. */
  int HEAP_PER_BYTE = 3;

  /** The most that a byte takes when it is read as an argument: see the reader of the JSON. */
  int HEAP_PER_CALL_BYTE = 4;

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
  record NoRoom(CallerQuota.Decision why) implements RequestBody {}

  /**
   * What a body may be.
   *
   * @param bytes most of them
   * @param time from its first byte to its last, beside the connection's idle timeout
   */
  record Bounds(int bytes, Duration time) {}

  /** Takes it in; the share holds what is read of it. */
  static RequestBody of(HttpServletRequest request, Bounds bounds, RequestMemory.Share share)
      throws IOException {
    return request.getContentLengthLong() > bounds.bytes
        ? new TooLong()
        : of(request.getInputStream(), bounds, share);
  }

  /** Takes in a body of unknown length. */
  static RequestBody of(InputStream stream, Bounds bounds, RequestMemory.Share share)
      throws IOException {
    Stopwatch watch = new Stopwatch();
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    byte[] piece = new byte[16 * 1024];
    int read = stream.read(piece);
    while (read >= 0) {
      if (taken.size() + read > bounds.bytes) {
        return new TooLong();
      }
      if (watch.left(bounds.time).isNegative()) {
        return new TooSlow();
      }
      CallerQuota.Decision decision = share.hold((long) HEAP_PER_BYTE * (taken.size() + read));
      if (decision != CallerQuota.Decision.GRANTED) {
        return new NoRoom(decision);
      }
      taken.write(piece, 0, read);
      read = stream.read(piece);
    }
    return new Whole(taken.toByteArray());
  }
}
