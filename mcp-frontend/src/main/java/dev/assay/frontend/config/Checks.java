package dev.assay.frontend.config;

/** Checks of single members. */
final class Checks {
  private Checks() {}

  static void require(boolean holds, String member, String otherwise) {
    if (!holds) {
      throw new InvalidConfigException(member + ": " + otherwise);
    }
  }

  static void within(String member, int value, int min, int max) {
    require(
        value >= min && value <= max,
        member,
        "must be between " + min + " and " + max + ", not " + value);
  }
}
