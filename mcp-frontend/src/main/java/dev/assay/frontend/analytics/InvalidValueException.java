package dev.assay.frontend.analytics;

/** What a Pod sent is not a value that Assay's workers return. */
public final class InvalidValueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvalidValueException(String why) {
    super(why, null, false, false);
  }
}
