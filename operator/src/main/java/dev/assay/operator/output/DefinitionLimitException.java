package dev.assay.operator.output;

import java.io.IOException;

/** A namespace has no room for more definitions of tools. What it has is kept. */
public final class DefinitionLimitException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String problem;

  DefinitionLimitException(long maxBytes) {
    this(
        "The definitions of its tools cannot be stored: those of all tool servers of a namespace"
            + " may take %d MiB, so delete servers or hide tools with spec.tools.deny"
                .formatted(maxBytes >> 20));
  }

  private DefinitionLimitException(String problem) {
    super(problem);
    this.problem = problem;
  }

  /** The message, for people. */
  public String problem() {
    return problem;
  }
}
