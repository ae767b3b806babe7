package dev.assay.frontend.call;

import java.util.regex.Pattern;

/** What a client calls the run of a request by, so that it can repeat the request. */
public record IdempotencyKey(String text) {
  /** What a key must be, for people. */
  public static final String RULE = "must have 1 to 128 visible ASCII characters";

  private static final Pattern VALID = Pattern.compile("[\\x21-\\x7e]{1,128}");

  public IdempotencyKey {
    if (!isValid(text)) {
      throw new IllegalArgumentException("an idempotency key " + RULE);
    }
  }

  /** Whether it can be a key. */
  public static boolean isValid(String text) {
    return VALID.matcher(text).matches();
  }
}
