package dev.assay.cli.text;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;

/**
 * Whether a stream of this process is a terminal. Each one is looked at by itself: {@link
 * System#console()} asks for a terminal at both standard input and standard output.
 */
public enum Terminal {
  OUT(1),
  ERR(2);

  private final int descriptor;

  Terminal(int descriptor) {
    this.descriptor = descriptor;
  }

  /** Whether the stream is a terminal; also true where that cannot be found out. */
  public boolean isThere() {
    // Java has no isatty(3); POSIX has it as a command.
    ProcessBuilder test = new ProcessBuilder("sh", "-c", "test -t " + descriptor);
    try {
      Process process =
          test.redirectOutput(this == OUT ? Redirect.INHERIT : Redirect.DISCARD)
              .redirectError(this == ERR ? Redirect.INHERIT : Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
