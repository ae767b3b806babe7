package dev.assay.gateway.call;

/** A call is not taken now, and nothing of it was sent; the message says why in one sentence. */
public final class BusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BusyException(String message) {
    super(message);
  }
}
