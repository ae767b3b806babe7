package dev.assay.operator.runner;

/** A runner sent what the protocol does not allow: it is not followed any further. */
public final class ProtocolViolationException extends Exception {
  private static final long serialVersionUID = 1L;

  public ProtocolViolationException(String message) {
    super(message);
  }
}
