package dev.assay.cli.client;

/** The endpoint could not be reached, or refused a request; the message is for a person. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1;
  private final int status;

  /** Nobody answered. */
  public ApiException(String message, Throwable cause) {
    super(message, cause);
    this.status = 0;
  }

  /** A refusal. */
  public ApiException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** The HTTP status; 0 where nobody answered. */
  public int status() {
    return status;
  }
}
