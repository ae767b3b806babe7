package dev.assay.cli;

import java.io.IOException;
import java.util.Optional;

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

  /** An error of files in words, where these help; empty otherwise. */
  public static Optional<MachineException> of(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left on device") || message.contains("Disk quota exceeded")
        ? Optional.of(
            new MachineException(
                "the disk is full (%s): free some space in /tmp, in the folder of --state and in the"
                        .formatted(message)
                    + " cache (~/.cache/assay, or XDG_CACHE_HOME), and start again",
                e))
        : Optional.empty();
  }
}
