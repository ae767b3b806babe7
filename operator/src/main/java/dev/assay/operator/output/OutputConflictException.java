package dev.assay.operator.output;

import java.io.IOException;

/** The store has something else in this place, which is kept. A retry would fail as well. */
public final class OutputConflictException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String problem;

  public OutputConflictException(String message) {
    super(message);
    this.problem = message;
  }

  /** The message, which names no path. */
  public String problem() {
    return problem;
  }
}
