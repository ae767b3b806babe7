package dev.assay.frontend.watch;

/** The Kubernetes API did not do what it was asked. */
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean refused;

  private ClusterException(String message, boolean refused, Throwable cause) {
    super(message, cause);
    this.refused = refused;
  }

  /** The API server answered, and its answer was no. The message is for callers. */
  public static ClusterException refused(String message, Throwable cause) {
    return new ClusterException(message, true, cause);
  }

  /** No answer came. */
  public static ClusterException unavailable(Throwable cause) {
    return new ClusterException("the Kubernetes API could not be reached", false, cause);
  }

  /** Whether the API server answered, and its answer was no; else it is not known what it did. */
  public boolean isRefused() {
    return refused;
  }
}
