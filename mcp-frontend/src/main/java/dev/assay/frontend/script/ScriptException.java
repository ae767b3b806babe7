package dev.assay.frontend.script;

/** A script is not started. The message is one sentence for callers, and says what to do. */
public final class ScriptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ScriptErrorCode code;

  ScriptException(ScriptErrorCode code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** Scripts are switched off. */
  public static ScriptException disabled() {
    return new ScriptException(
        ScriptErrorCode.FEATURE_DISABLED,
        "code_execution is disabled: enable_code_execution turns it on, which is"
            + " codeExecution.enabled in the values of the chart");
  }

  public ScriptErrorCode code() {
    return code;
  }

  /** The message; never null. */
  public String text() {
    return String.valueOf(getMessage());
  }

  /** The result that a caller reads. */
  public ScriptResult result() {
    return ScriptResult.notStarted(code, text());
  }
}
