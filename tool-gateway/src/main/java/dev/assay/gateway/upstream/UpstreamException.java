package dev.assay.gateway.upstream;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;

/** A server did not do what it was asked for. */
public final class UpstreamException extends Exception {
  private static final long serialVersionUID = 1L;

  private final CallCode code;
  private final Sent sent;
  private final boolean isSessionLost;
  private final String detail;

  /**
   * An error.
   *
   * @param message one sentence
   */
  public UpstreamException(CallCode code, Sent sent, String message) {
    this(code, sent, message, message, false);
  }

  private UpstreamException(
      CallCode code, Sent sent, String message, String detail, boolean isSessionLost) {
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
    return new UpstreamException(CallCode.UPSTREAM_UNAVAILABLE, Sent.NO, message, detail, false);
  }

  /** The same, before the call itself: nothing of that was sent. */
  UpstreamException beforeTheCall() {
    return new UpstreamException(
        code == CallCode.UPSTREAM_TIMEOUT ? code : CallCode.UPSTREAM_UNAVAILABLE,
        Sent.NO,
        String.valueOf(getMessage()),
        detail,
        false);
  }

  /** The server did not know the session, and has done nothing: a new one may be tried. */
  static UpstreamException sessionLost(Sent sent) {
    return new UpstreamException(
        CallCode.UPSTREAM_UNAVAILABLE,
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
  public CallCode code() {
    return code;
  }

  /** Whether the call reached the server. */
  public Sent sent() {
    return sent;
  }
}
