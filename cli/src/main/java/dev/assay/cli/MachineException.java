package dev.assay.cli;

/**
 * This machine lacks something; the message is one sentence that names it and says how to get it.
 */
public final class MachineException extends Exception {
  private static final long serialVersionUID = 1;

  public MachineException(String message) {
    super(message);
  }

  public MachineException(String message, Throwable cause) {
    super(message, cause);
  }
}
