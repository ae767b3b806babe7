package dev.assay.jvm.profile;

import org.jspecify.annotations.Nullable;

/**
 * Aggregates of one column.
 *
 * @param values rows that are not null
 * @param distinct different values
 * @param isApproximate whether the engine has estimated them
 * @param bytes of all values in memory
 * @param longestText bytes of the longest text; 0 for other columns
 * @param dates texts that are dates; 0 for other columns
 * @param range null if it was not asked for, or has no meaning for the column
 */
record ColumnStatistics(
    long values,
    long distinct,
    boolean isApproximate,
    long bytes,
    long longestText,
    long dates,
    @Nullable Range range) {
  /**
   * The range of numbers or times.
   *
   * @param min the smallest value as JSON
   * @param max the largest value as JSON
   * @param mean of numbers
   * @param q25 first quartile of numbers
   */
  record Range(
      String min,
      String max,
      @Nullable Double mean,
      @Nullable Double q25,
      @Nullable Double q50,
      @Nullable Double q75) {}
}
