package dev.assay.frontend.watch;

import org.jspecify.annotations.Nullable;

/** The Kubernetes API did not do what it was asked. The message is for callers. */
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** What is known of a request that failed. */
  public enum Kind {
    /** The API server refused it, or would: so it will be again, until somebody changes that. */
    REFUSED,
    /** There is too much already: the same request may be carried out later. */
    LIMITED,
    /** Its idempotency key belongs to another run. */
    KEY_REUSED,
    /** The API server had no time for it. */
    OVERLOADED,
    /** The API server does not know this process: only the platform team can help. */
    MISCONFIGURED,
    /** No answer came: the request may have been carried out. */
    UNAVAILABLE
  }

  private ClusterException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** The API server answered, and its answer was no. */
  public static ClusterException refused(String message, Throwable cause) {
    return new ClusterException(Kind.REFUSED, message, cause);
  }

  /** The caller has used the key of this request for something else. */
  public static ClusterException keyReused() {
    return new ClusterException(
        Kind.KEY_REUSED, "the idempotency key was used for another run; use another key", null);
  }

  /** It was not asked, since its answer would be no. */
  public static ClusterException refused(String message) {
    return new ClusterException(Kind.REFUSED, message, null);
  }

  /** It was not asked, since there is too much already. */
  public static ClusterException limited(String message) {
    return new ClusterException(Kind.LIMITED, message, null);
  }

  /** The API server asked to come again later. */
  public static ClusterException overloaded(Throwable cause) {
    return new ClusterException(Kind.OVERLOADED, "the Kubernetes API is overloaded", cause);
  }

  /** The API server does not accept this process' credentials. */
  public static ClusterException misconfigured(Throwable cause) {
    return new ClusterException(
        Kind.MISCONFIGURED,
        "the endpoint has no valid credentials for the Kubernetes API; tell the platform team",
        cause);
  }

  /** No answer came. */
  public static ClusterException unavailable(Throwable cause) {
    return new ClusterException(Kind.UNAVAILABLE, "the Kubernetes API could not be reached", cause);
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the request was certainly not carried out. */
  public boolean wasNotDone() {
    return kind != Kind.UNAVAILABLE;
  }
}
