package dev.assay.jvm.sample;

import java.util.Collections;
import java.util.List;

/**
 * The rows of a sample, ordered so that every prefix is itself a sample of the same strategy.
 *
 * @param drawn positions in the table
 * @param strata how many the table has; 0 without strata
 */
record Draw(List<Long> drawn, long strata) {
  Draw {
    drawn = List.copyOf(drawn);
  }

  /** Without strata. */
  static Draw of(List<Long> drawn) {
    return new Draw(drawn, 0);
  }

  int size() {
    return drawn.size();
  }

  /** A smaller sample. */
  Draw first(int size) {
    return new Draw(drawn.subList(0, size), strata);
  }

  /** The positions in increasing order. */
  List<Long> positions() {
    return drawn.stream().sorted().toList();
  }

  /** The order as indexes of {@link #positions}. */
  List<Integer> order() {
    List<Long> sorted = positions();
    return drawn.stream().map(position -> Collections.binarySearch(sorted, position)).toList();
  }
}
