package dev.assay.frontend.rest;

import dev.assay.frontend.watch.ClusterException;

/** A request is not done. The message is one sentence for callers, and says what to do next. */
public final class RestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  private RestException(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** Something about the request beside its members cannot be understood. */
  static RestException badRequest(String message) {
    return new RestException(400, message);
  }

  /** The cluster said no. */
  static RestException refused(String message) {
    return new RestException(403, message);
  }

  /** There is none of this name. */
  static RestException notFound(String message) {
    return new RestException(404, message);
  }

  /** It does not fit what is there. */
  static RestException conflict(String message) {
    return new RestException(409, message);
  }

  /** It is not said how long the body is. */
  static RestException lengthRequired(String message) {
    return new RestException(411, message);
  }

  /** The body is longer than it may be. */
  static RestException tooLarge(String message) {
    return new RestException(413, message);
  }

  /** The body is something that is not taken. */
  static RestException unsupported(String message) {
    return new RestException(415, message);
  }

  /** A member of the body cannot be used; the message names it. */
  static RestException invalid(String message) {
    return new RestException(422, message);
  }

  /** Something that is needed cannot be reached now. */
  static RestException unavailable(String message) {
    return new RestException(503, message);
  }

  /** This endpoint is at fault; retrying does not help. */
  static RestException internal(String message) {
    return new RestException(500, message);
  }

  /**
   * What the Kubernetes API did.
   *
   * @param suffix of the message
   */
  static RestException of(ClusterException failure, String suffix) {
    String message = failure.getMessage() + suffix;
    return switch (failure.kind()) {
      case REFUSED -> refused(message);
      case LIMITED -> new RestException(429, message);
      case KEY_REUSED -> conflict(message);
      case MISCONFIGURED -> internal(message);
      case OVERLOADED, UNAVAILABLE -> unavailable(message + "; retry");
    };
  }

  /** The status of HTTP. */
  public int status() {
    return status;
  }

  /** The message; never null. */
  public String text() {
    return String.valueOf(getMessage());
  }
}
