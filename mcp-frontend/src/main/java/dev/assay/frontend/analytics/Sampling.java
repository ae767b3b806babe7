package dev.assay.frontend.analytics;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a value were sampled.
 *
 * @param totalRows of the dataset
 * @param order row indexes, ordered so that every prefix is a sample; empty for head and systematic
 * @param strata how many the table has; 0 without strata
 * @param seed that repeats the sample; null where none was given
 */
public record Sampling(
    String strategy, long totalRows, List<Integer> order, long strata, @Nullable Long seed) {
  private static final String HEAD = "head";

  public Sampling {
    order = List.copyOf(order);
  }

  /**
   * Rows that are a sample of the same strategy.
   *
   * @param size at most the number of the rows
   */
  <T> List<T> first(List<T> rows, int size) {
    return indexes(rows.size(), size).mapToObj(rows::get).toList();
  }

  private IntStream indexes(int rows, int size) {
    if (strategy.equals(HEAD)) {
      return IntStream.range(0, size);
    }
    List<Integer> known = order.stream().filter(index -> index < rows).distinct().toList();
    // An older runner sends no order, and a Pod may send a wrong one.
    return known.size() < size
        ? IntStream.range(0, size).map(i -> (int) ((long) i * rows / size))
        : known.stream().limit(size).mapToInt(Integer::intValue).sorted();
  }
}
