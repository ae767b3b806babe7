package dev.assay.frontend.rest;

/**
 * Why a request was not done.
 *
 * @param error the reason
 */
public record ErrorDocument(Reason error) {
  /**
   * The reason.
   *
   * @param code the status of HTTP
   * @param message one sentence for people
   */
  public record Reason(int code, String message) {}

  /** The document of a status. */
  public static ErrorDocument of(int status, String message) {
    return new ErrorDocument(new Reason(status, message));
  }
}
