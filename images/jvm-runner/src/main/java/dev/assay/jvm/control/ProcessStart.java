package dev.assay.jvm.control;

import java.time.Duration;
import java.time.Instant;

/** When this process was started. */
public final class ProcessStart {
  private ProcessStart() {}

  /** How long it runs; 0 where the system does not say. */
  public static long millisecondsAgo() {
    return ProcessHandle.current()
        .info()
        .startInstant()
        .map(start -> Math.max(Duration.between(start, Instant.now()).toMillis(), 0))
        .orElse(0L);
  }
}
