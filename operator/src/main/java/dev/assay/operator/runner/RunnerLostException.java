package dev.assay.operator.runner;

/** The Pod is there, and its runner cannot be followed; the message says why. */
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

  /** Whether the runner said that the time to start the job is over. */
  public boolean jobExpired() {
    return jobExpired;
  }
}
