package dev.assay.frontend.mcp;

/** A body is not what is read here. The message is for whoever wrote the client. */
final class InvalidJsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvalidJsonException(String message) {
    super(message, null, false, false);
  }

  /** The message; never null. */
  String text() {
    return String.valueOf(getMessage());
  }
}
