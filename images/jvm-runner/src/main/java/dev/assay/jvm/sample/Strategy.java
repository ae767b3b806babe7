package dev.assay.jvm.sample;

/** How the rows of a sample are chosen. */
enum Strategy {
  HEAD,
  RANDOM,
  STRATIFIED,
  SYSTEMATIC;

  /** Whether the rows depend on a seed. */
  boolean isRandom() {
    return switch (this) {
      case RANDOM, STRATIFIED -> true;
      case HEAD, SYSTEMATIC -> false;
    };
  }
}
