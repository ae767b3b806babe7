package dev.assay.frontend.call;

/**
 * What a tool answers.
 *
 * @param text the one text block
 * @param isError whether the call failed, by the caller's code or by ours
 * @param outcome one word for the log
 */
public record Reply(String text, boolean isError, String outcome) {
  /** A call that did what it should. */
  public static Reply success(String text) {
    return new Reply(text, false, "Succeeded");
  }

  /** A call that failed outside the caller's code. */
  public static Reply executionError(String type, String message) {
    return new Reply("EXECUTION ERROR: " + type + ": " + message, true, type);
  }
}
