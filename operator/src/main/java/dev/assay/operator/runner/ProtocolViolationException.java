package dev.assay.operator.runner;

/** A runner violated the protocol; the operator stops following it. */
public final class ProtocolViolationException extends Exception {
  private static final long serialVersionUID = 1L;

  public ProtocolViolationException(String message) {
    super(message);
  }
}
