package dev.assay.cli.client;

import java.time.Duration;

/**
 * When to repeat a request that may be repeated, while the endpoint is restarted or cannot be
 * reached: soon at first, then every five seconds, for about two minutes.
 */
public final class Retry {
  private static final int MAX_ATTEMPTS = 30;
  private static final Duration FIRST_DELAY = Duration.ofMillis(250);
  private static final Duration MAX_DELAY = Duration.ofSeconds(5);

  private final Sleeper sleeper;
  private int attempts;
  private Duration delay = FIRST_DELAY;

  /** Sleeps; tests have their own. */
  @FunctionalInterface
  public interface Sleeper {
    void sleep(Duration duration) throws InterruptedException;
  }

  public Retry(Sleeper sleeper) {
    this.sleeper = sleeper;
  }

  /**
   * Waits until the next attempt is due.
   *
   * @throws ApiException the failure itself, if it is permanent or all attempts are used up
   */
  public void await(ApiException failure) throws ApiException, InterruptedException {
    attempts++;
    if (!failure.isTemporary() || attempts == MAX_ATTEMPTS) {
      throw failure;
    }
    sleeper.sleep(delay);
    delay = delay.multipliedBy(2).compareTo(MAX_DELAY) < 0 ? delay.multipliedBy(2) : MAX_DELAY;
  }

  /** Starts over after an attempt that made progress. */
  public void reset() {
    attempts = 0;
    delay = FIRST_DELAY;
  }
}
