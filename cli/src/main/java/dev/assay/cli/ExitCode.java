package dev.assay.cli;

import java.util.Locale;

/** Exit codes of the process; {@code assay --help} lists them. */
public final class ExitCode {
  public static final int DONE = 0;
  public static final int CODE = 1;
  public static final int USAGE = 2;
  public static final int ENDPOINT = 3;
  public static final int PLATFORM = 4;
  public static final int MACHINE = 5;
  public static final int INTERNAL = 6;
  public static final int TIMED_OUT = 124;
  public static final int CANCELLED = 130;

  private ExitCode() {}

  /**
   * The exit code for a run.
   *
   * @param phase of a run that has ended
   * @param reason of that phase
   */
  public static int ofRun(String phase, String reason) {
    return switch (phase.toLowerCase(Locale.ROOT)) {
      case "succeeded" -> DONE;
      case "timedout" -> TIMED_OUT;
      case "cancelled" -> CANCELLED;
      default -> "CodeError".equals(reason) || "GuardRefused".equals(reason) ? CODE : PLATFORM;
    };
  }
}
