package dev.assay.cli.text;

import java.io.Console;
import org.jspecify.annotations.Nullable;

/** Whether a person is at the other end. */
public final class Terminal {
  private Terminal() {}

  /** Whether input and output are a terminal's. */
  @SuppressWarnings("SystemConsoleNull") // NullAway does not know that it is never null.
  public static boolean isThere() {
    @Nullable Console console = System.console();
    return console != null && console.isTerminal();
  }
}
