package dev.assay.frontend.rest;

import dev.assay.frontend.call.Cancellation;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a request is answered with. */
public sealed interface Answer {
  /** Whether it takes longer than reading it does. */
  default boolean isLasting() {
    return false;
  }

  /**
   * A JSON document.
   *
   * @param status of HTTP
   * @param location path of what was made; null where nothing was
   */
  record Document(int status, Object value, @Nullable String location) implements Answer {
    Document(int status, Object value) {
      this(status, value, null);
    }
  }

  /** A JSON document that is finished as it is. */
  @SuppressWarnings("ArrayRecordComponent") // Written, never compared.
  record Finished(byte[] json) implements Answer {}

  /** It is done, without a body. */
  record Done() implements Answer {}

  /**
   * A JSON document that is waited for.
   *
   * @param status of HTTP, which is known already
   * @param location path of what was made
   */
  record Awaited(int status, String location, Wait pending) implements Answer {
    @Override
    public boolean isLasting() {
      return true;
    }
  }

  /**
   * Bytes that come one piece after the other.
   *
   * @param live whether they may be a long time in coming
   */
  record Pieces(Transfer transfer, boolean live) implements Answer {
    @Override
    public boolean isLasting() {
      return true;
    }
  }

  /**
   * A file, or a part of it.
   *
   * @param status of HTTP: 200, or 206 for a part
   * @param headers by their names
   * @param length of what is sent
   */
  record File(int status, Map<String, String> headers, long length, Transfer transfer)
      implements Answer {
    public File {
      headers = Map.copyOf(headers);
    }

    @Override
    public boolean isLasting() {
      return true;
    }
  }

  /**
   * A part of a file was asked for that it does not have.
   *
   * @param length of the file
   */
  record OutOfRange(long length) implements Answer {}

  /** Waits. */
  interface Wait {
    /**
     * The document.
     *
     * @param cancellation of the wait
     */
    Object document(Cancellation cancellation) throws InterruptedException;
  }

  /** Passes bytes on until there are no more. */
  interface Transfer {
    /**
     * Does it.
     *
     * @param cancellation tells that nobody reads any more, also while nothing is written
     * @throws BrokenOffException where the rest cannot be had
     */
    void to(Sink sink, Cancellation cancellation) throws InterruptedException;
  }

  /** Takes bytes. */
  interface Sink {
    /** Takes a piece; false where the client has disconnected. */
    boolean write(byte[] piece);
  }

  /** An answer that was begun cannot be brought to its end. */
  final class BrokenOffException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * The exception.
     *
     * @param message for the log
     */
    public BrokenOffException(String message) {
      super(message, null, false, false);
    }
  }
}
