package dev.assay.frontend.config;

/** Checks of single fields. */
final class Checks {
  private Checks() {}

  static void require(boolean holds, String field, String otherwise) {
    if (!holds) {
      throw new InvalidConfigException(field + ": " + otherwise);
    }
  }

  static void requireBetween(String field, int value, int min, int max) {
    require(
        value >= min && value <= max,
        field,
        "must be between " + min + " and " + max + ", not " + value);
  }
}
