package dev.assay.gateway.definition;

/** A server lists tools in a way that is not accepted; the message says which and why. */
public final class InvalidListException extends Exception {
  private static final long serialVersionUID = 1L;

  /** An error with one sentence, without a period. */
  public InvalidListException(String message) {
    super(message);
  }
}
