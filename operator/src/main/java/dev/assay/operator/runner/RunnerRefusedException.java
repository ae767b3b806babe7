package dev.assay.operator.runner;

/** The runner refused a request; the message contains its error code. */
public final class RunnerRefusedException extends Exception {
  /** The runner was told to refuse every run. */
  public static final String REFUSED = "Refused";

  /** The runner has started a run, or it was cancelled before its start: it cannot refuse. */
  public static final String STARTED = "Started";

  private static final long serialVersionUID = 1L;

  private final String code;

  RunnerRefusedException(int status, String code) {
    super("the runner refused: HTTP " + status + " " + code);
    this.code = code;
  }

  /** The error code of the runner protocol, such as {@code WrongNonce}. */
  public String code() {
    return code;
  }
}
