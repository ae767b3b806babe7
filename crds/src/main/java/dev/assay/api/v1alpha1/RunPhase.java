package dev.assay.api.v1alpha1;

/** Where a run stands, derived from its conditions. The last four are final. */
public enum RunPhase {
  Pending,
  Starting,
  Running,
  Succeeded,
  Failed,
  TimedOut,
  Cancelled;

  /** Whether the run has ended and its status will not change any more. */
  public boolean isFinal() {
    return switch (this) {
      case Pending, Starting, Running -> false;
      case Succeeded, Failed, TimedOut, Cancelled -> true;
    };
  }
}
