package dev.assay.operator.runner;

/** The Pod exists, but its runner cannot be followed; the message has the cause. */
public final class RunnerLostException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean jobExpired;

  RunnerLostException(String message) {
    super(message);
    this.jobExpired = false;
  }

  RunnerLostException(RunnerRefusedException refusal) {
    super(refusal.getMessage());
    this.jobExpired = "Expired".equals(refusal.code());
  }

  /** Whether the runner reported that the staged job has expired. */
  public boolean jobExpired() {
    return jobExpired;
  }
}
