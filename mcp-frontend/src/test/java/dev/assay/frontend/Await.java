package dev.assay.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what another thread brings about. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Await() {}

  /** Returns when it holds, and fails where it does not within ten seconds. */
  public static void await(BooleanSupplier holds) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as("within %s", PATIENCE).isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
