package dev.assay.jvm.profile;

import java.util.List;

/** How complete a table is, from 0 to 100. */
final class QualityScore {
  private static final double MANY_NULLS = 0.1;

  private QualityScore() {}

  /**
   * 100, less 5 for each column with nulls, 10 more for each with more than a tenth of them, and 20
   * times the fraction of duplicate rows; at least 0.
   *
   * @param nullFractions of each column
   */
  static double of(List<Double> nullFractions, double duplicateFraction) {
    long withNulls = nullFractions.stream().filter(fraction -> fraction > 0).count();
    long withMany = nullFractions.stream().filter(fraction -> fraction > MANY_NULLS).count();
    return Math.max(0, 100 - 5.0 * withNulls - 10.0 * withMany - 20 * duplicateFraction);
  }
}
