package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.frontend.call.IdempotencyKey;
import dev.assay.frontend.identity.Identity;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Names for runs: {@code run-}, 9 characters of the time in milliseconds and 6 random ones.
 *
 * <p>Kubernetes tells when an object was created in whole seconds. By these names the runs of one
 * second are in their true order too, in a list of kubectl as well. The name of a run with an
 * idempotency key follows from the key instead, so that any replica finds it.
 */
public final class RunNames implements Supplier<String> {
  /** Without vowels and look-alikes, as Kubernetes generates names, and in the order of ASCII. */
  private static final String ALPHABET = "2456789bcdfghjklmnpqrstvwxz";

  /** Enough until the year 2211. */
  private static final int TIME_LENGTH = 9;

  private static final int RANDOM_LENGTH = 6;

  /** 123 bits. Names of both kinds differ in their lengths. */
  private static final int DIGEST_LENGTH = 26;

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

  /** The name of the run that a caller's key belongs to. */
  public static String of(Identity identity, IdempotencyKey key) {
    // Neither a namespace nor a key has a line feed.
    String whose = identity.namespace() + "\n" + key.text() + "\n" + identity.caller();
    BigInteger digest = new BigInteger(1, Sha256.digest().digest(whose.getBytes(UTF_8)));
    return "run-" + characters(digest, DIGEST_LENGTH);
  }

  /** A name that is greater than all that were given before. */
  @Override
  public String get() {
    long now = clock.millis();
    long time = latest.updateAndGet(before -> Math.max(now, before + 1));
    StringBuilder name = new StringBuilder(characters(BigInteger.valueOf(time), TIME_LENGTH));
    for (int i = 0; i < RANDOM_LENGTH; i++) {
      name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return "run-" + name;
  }

  /** The last digits of a number. */
  private static String characters(BigInteger number, int length) {
    BigInteger base = BigInteger.valueOf(ALPHABET.length());
    StringBuilder digits = new StringBuilder();
    for (int i = 0; i < length; i++) {
      digits.insert(0, ALPHABET.charAt(number.mod(base).intValue()));
      number = number.divide(base);
    }
    return digits.toString();
  }
}
