package dev.assay.frontend.run;

import java.security.SecureRandom;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Names for runs: {@code run-} and 12 random characters, so that no two ever meet. */
public final class RunNames implements Supplier<String> {
  /** Without vowels and look-alikes, as Kubernetes generates names. */
  private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

  private static final int LENGTH = 12;

  private static final Pattern VALID = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private final SecureRandom random = new SecureRandom();

  /** Whether Kubernetes would take it as a run's name, whoever made it. */
  public static boolean isValid(String name) {
    return VALID.matcher(name).matches();
  }

  @Override
  public String get() {
    StringBuilder name = new StringBuilder("run-");
    for (int i = 0; i < LENGTH; i++) {
      name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return name.toString();
  }
}
