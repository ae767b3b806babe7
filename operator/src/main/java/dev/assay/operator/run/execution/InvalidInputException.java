package dev.assay.operator.run.execution;

/** The input of a run is invalid. */
final class InvalidInputException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String problem;

  InvalidInputException(String problem) {
    super(problem);
    this.problem = problem;
  }

  /** Names the field, and says what it must be. */
  String problem() {
    return problem;
  }
}
