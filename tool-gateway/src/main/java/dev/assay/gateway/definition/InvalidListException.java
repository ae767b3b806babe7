package dev.assay.gateway.definition;

/**
 * A server lists tools in a way that is not accepted; the message says why, and has no text of the
 * server.
 */
public final class InvalidListException extends Exception {
  private static final long serialVersionUID = 1L;

  /** An error with one sentence, without a period. */
  public InvalidListException(String message) {
    super(message);
  }
}
