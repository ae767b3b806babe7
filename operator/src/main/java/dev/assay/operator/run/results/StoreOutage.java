package dev.assay.operator.run.results;

import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.admission.RunLimits;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** The messages about an output store that is unavailable. */
public final class StoreOutage {
  private StoreOutage() {}

  /** The problem, its effect on the run, and what to do. */
  public static String message(RunOutputs outputs, Exception failure) {
    return "The output store "
        + outputs.location()
        + " is not available: "
        + reason(failure)
        + ". The Pod keeps the output for up to "
        + RunLimits.STORE_GRACE.toMinutes()
        + " minutes, and the run continues as soon as the store is available again. The platform"
        + " team should check whether the store's volume is full, read-only or missing";
  }

  /** A short reason, without the paths of single outputs. */
  public static String reason(Throwable failure) {
    return switch (failure) {
      case UncheckedIOException unchecked when unchecked.getCause() != null ->
          reason(unchecked.getCause());
      case AccessDeniedException denied -> "permission denied";
      case NoSuchFileException missing -> "no such file or directory";
      case FileSystemException file when file.getReason() != null -> file.getReason();
      default -> Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    };
  }
}
