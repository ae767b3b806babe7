package dev.assay.gateway.upstream;

import dev.assay.gateway.policy.ErrorCode;

/** A server did not do what it was asked for. */
public final class UpstreamException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final Sent sent;
  private final boolean isSessionLost;

  /** Whether the call reached the server. */
  public enum Sent {
    no,
    yes,
    unknown
  }

  /**
   * An error.
   *
   * @param message one sentence
   */
  public UpstreamException(ErrorCode code, Sent sent, String message) {
    this(code, sent, message, false);
  }

  private UpstreamException(ErrorCode code, Sent sent, String message, boolean isSessionLost) {
    super(message);
    this.code = code;
    this.sent = sent;
    this.isSessionLost = isSessionLost;
  }

  /** The server did not know the session, and has done nothing: a new one may be tried. */
  static UpstreamException sessionLost(Sent sent) {
    return new UpstreamException(
        ErrorCode.UPSTREAM_UNAVAILABLE, sent, "The server has ended the session.", true);
  }

  /** Whether the request may be sent again, in a new session. */
  boolean isSessionLost() {
    return isSessionLost;
  }

  /** The code for scripts. */
  public ErrorCode code() {
    return code;
  }

  /** Whether the call reached the server. */
  public Sent sent() {
    return sent;
  }
}
