package dev.assay.operator.runner;

/** The Pod is gone or has ended; nothing more will come from it. */
public final class PodEndedException extends Exception {
  private static final long serialVersionUID = 1L;

  public PodEndedException() {
    super("the Pod is gone or has ended");
  }
}
