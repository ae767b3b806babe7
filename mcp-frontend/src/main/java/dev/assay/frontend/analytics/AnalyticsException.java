package dev.assay.frontend.analytics;

/** A call cannot be answered but by an error. */
public final class AnalyticsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient AnalyticsError error;

  public AnalyticsException(AnalyticsError error) {
    super(error.message(), null, false, false);
    this.error = error;
  }

  /** With the usual advice of its code. */
  public AnalyticsException(ErrorCode code, String message) {
    this(AnalyticsError.of(code, message));
  }

  /** What the caller reads. */
  public AnalyticsError error() {
    return error;
  }
}
