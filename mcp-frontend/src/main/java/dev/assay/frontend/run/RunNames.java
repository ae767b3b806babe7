package dev.assay.frontend.run;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Names for runs: {@code run-}, 9 characters of the time in milliseconds and 6 random ones.
 *
 * <p>Kubernetes tells when an object was created in whole seconds. By these names the runs of one
 * second are in their true order too, in a list of kubectl as well.
 */
public final class RunNames implements Supplier<String> {
  /** Without vowels and look-alikes, as Kubernetes generates names, and in the order of ASCII. */
  private static final String ALPHABET = "2456789bcdfghjklmnpqrstvwxz";

  /** Enough until the year 2211. */
  private static final int TIME_LENGTH = 9;

  private static final int RANDOM_LENGTH = 6;

  private static final Pattern VALID = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private final SecureRandom random = new SecureRandom();
  private final InstantSource clock;

  /** When the latest name was given, in milliseconds; names may run ahead of the clock. */
  private final AtomicLong latest = new AtomicLong();

  /** Names by a clock. */
  public RunNames(InstantSource clock) {
    this.clock = clock;
  }

  /** Whether Kubernetes would take it as a run's name, whoever made it. */
  public static boolean isValid(String name) {
    return VALID.matcher(name).matches();
  }

  /** A name that is greater than all that were given before. */
  @Override
  public String get() {
    long now = clock.millis();
    long time = latest.updateAndGet(before -> Math.max(now, before + 1));
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < TIME_LENGTH; i++) {
      name.insert(0, ALPHABET.charAt((int) (time % ALPHABET.length())));
      time /= ALPHABET.length();
    }
    for (int i = 0; i < RANDOM_LENGTH; i++) {
      name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return "run-" + name;
  }
}
