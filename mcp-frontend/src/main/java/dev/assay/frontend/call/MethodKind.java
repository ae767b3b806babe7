package dev.assay.frontend.call;

/**
 * How long it takes to serve a method: a tool, a resource or a route of REST. Whether it takes a
 * slot, is kept alive while it is silent, reports progress and can be cancelled goes by this.
 */
public enum MethodKind {
  /**
   * As long as a read or a write of the Kubernetes API. It takes no slot, so that a caller whose
   * slots are all taken can still look at what is in progress, and stop it.
   */
  QUICK(""),
  /** Runs code, waits for a run or a dataset, or reads output for a reply. */
  CALL("calls"),
  /** Streams output, perhaps as it comes. */
  OUTPUT("outputs"),
  /** Loads or uploads a dataset by REST. */
  LOAD("loads of datasets");

  private final String plural;

  MethodKind(String plural) {
    this.plural = plural;
  }

  /** Whether it runs code or waits. */
  public boolean isLasting() {
    return this != QUICK;
  }

  /** What several are called, where it is lasting. */
  public String plural() {
    return plural;
  }
}
