package dev.assay.frontend.config;

/** Checks of single members. */
final class Checks {
  private Checks() {}

  static void require(boolean holds, String member, String otherwise) {
    if (!holds) {
      throw new InvalidConfigException(member + ": " + otherwise);
    }
  }

  static void within(String member, int value, int least, int most) {
    require(
        value >= least && value <= most,
        member,
        "must be between " + least + " and " + most + ", not " + value);
  }
}
