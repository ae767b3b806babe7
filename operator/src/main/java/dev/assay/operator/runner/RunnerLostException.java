package dev.assay.operator.runner;

import org.jspecify.annotations.Nullable;

/** The Pod exists, but its runner cannot be followed; the message has the cause. */
public final class RunnerLostException extends Exception {
  private static final long serialVersionUID = 1L;

  RunnerLostException(@Nullable String message) {
    super(message);
  }
}
