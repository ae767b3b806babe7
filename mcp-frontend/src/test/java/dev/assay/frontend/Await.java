package dev.assay.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition that another thread fulfils. */
public final class Await {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(1);

  private Await() {}

  /**
   * Returns when the condition holds, and fails if it does not within half a minute: a busy machine
   * takes long.
   */
  public static void await(BooleanSupplier holds) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as("within %s", PATIENCE).isLessThan(end);
      // Lets other virtual threads run, which a busy loop would not.
      LockSupport.parkNanos(POLL.toNanos());
    }
  }
}
