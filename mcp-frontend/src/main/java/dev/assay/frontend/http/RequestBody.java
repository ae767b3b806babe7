package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Takes in the body of a request, as far as it and the memory of all requests go. */
sealed interface RequestBody {
  /** A buffer that grows by doubling, and a copy of what is in it at the end. */
  int HEAP_PER_BYTE = 3;

  /** All of it. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Whole(byte[] bytes) implements RequestBody {}

  /** It has more bytes than any may have. */
  record TooLong() implements RequestBody {}

  /** There is no memory for it now. */
  record NoRoom() implements RequestBody {}

  /** Takes it in; the share holds what is read of it. */
  static RequestBody of(HttpServletRequest request, int maxBytes, RequestMemory.Share share)
      throws IOException {
    return request.getContentLengthLong() > maxBytes
        ? new TooLong()
        : of(request.getInputStream(), maxBytes, share);
  }

  /** Takes in a body of unknown length. */
  static RequestBody of(InputStream stream, int maxBytes, RequestMemory.Share share)
      throws IOException {
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    byte[] piece = new byte[16 * 1024];
    int read = stream.read(piece);
    while (read >= 0) {
      if (taken.size() + read > maxBytes) {
        return new TooLong();
      }
      if (!share.hold((long) HEAP_PER_BYTE * (taken.size() + read))) {
        return new NoRoom();
      }
      taken.write(piece, 0, read);
      read = stream.read(piece);
    }
    return new Whole(taken.toByteArray());
  }
}
