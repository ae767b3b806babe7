package dev.assay.operator.runner;

/** The Pod was deleted or has terminated; it sends nothing more. */
public final class PodEndedException extends Exception {
  private static final long serialVersionUID = 1L;

  public PodEndedException() {
    super("the Pod was deleted or has terminated");
  }
}
