package dev.assay.cli.client;

/** The endpoint could not be reached, or refused a request; the message is for a person. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1;
  private final int status;
  private final boolean temporary;

  private ApiException(String message, Throwable cause, boolean temporary) {
    super(message, cause);
    this.status = 0;
    this.temporary = temporary;
  }

  /** The endpoint refused a request. */
  public ApiException(int status, String message) {
    super(message);
    this.status = status;
    this.temporary = status == 429 || status == 502 || status == 503 || status == 504;
  }

  /** There was no connection, or it broke. */
  public static ApiException disconnected(String message, Throwable cause) {
    return new ApiException(message, cause, /* temporary= */ true);
  }

  /** The response is not one of Assay. */
  static ApiException notAssay(String message, Throwable cause) {
    return new ApiException(message, cause, /* temporary= */ false);
  }

  /** The HTTP status; 0 where there was no answer of Assay. */
  public int status() {
    return status;
  }

  /** Whether the same request may succeed later, as after a restart of the endpoint. */
  public boolean isTemporary() {
    return temporary;
  }
}
