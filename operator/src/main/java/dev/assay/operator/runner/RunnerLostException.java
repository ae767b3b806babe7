package dev.assay.operator.runner;

/** The Pod is there, and its runner cannot be followed; the message says why. */
public final class RunnerLostException extends Exception {
  private static final long serialVersionUID = 1L;

  RunnerLostException(String message) {
    super(message);
  }
}
