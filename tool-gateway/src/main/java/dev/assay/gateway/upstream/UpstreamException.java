package dev.assay.gateway.upstream;

import dev.assay.gateway.policy.ErrorCode;

/** A server did not do what it was asked for. */
public final class UpstreamException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final Sent sent;
  private final boolean isSessionLost;
  private final String detail;

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
    this(code, sent, message, message, false);
  }

  private UpstreamException(
      ErrorCode code, Sent sent, String message, String detail, boolean isSessionLost) {
    super(message);
    this.detail = detail;
    this.code = code;
    this.sent = sent;
    this.isSessionLost = isSessionLost;
  }

  /**
   * An error of a call that was not sent.
   *
   * @param message one sentence for scripts
   * @param detail one for the platform team
   */
  static UpstreamException unavailable(String message, String detail) {
    return new UpstreamException(ErrorCode.UPSTREAM_UNAVAILABLE, Sent.no, message, detail, false);
  }

  /** The same, before the call itself: nothing of that was sent. */
  UpstreamException beforeTheCall() {
    return new UpstreamException(
        code == ErrorCode.UPSTREAM_TIMEOUT ? code : ErrorCode.UPSTREAM_UNAVAILABLE,
        Sent.no,
        String.valueOf(getMessage()),
        detail,
        false);
  }

  /** The server did not know the session, and has done nothing: a new one may be tried. */
  static UpstreamException sessionLost(Sent sent) {
    return new UpstreamException(
        ErrorCode.UPSTREAM_UNAVAILABLE,
        sent,
        "The server has ended the session.",
        "The server has ended the session.",
        true);
  }

  /** Whether the request may be sent again, in a new session. */
  boolean isSessionLost() {
    return isSessionLost;
  }

  /** One sentence for the platform team; it may name the Secret and the address of the server. */
  public String detail() {
    return detail;
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
