package dev.assay.jvm.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Divides a sample among strata in proportion to their rows, by the largest remainder. */
final class Allocation {
  private Allocation() {}

  /**
   * How many rows of each stratum are in the sample. A stratum whose share is less than one row has
   * one, and the others divide the rest.
   *
   * @param strata rows of each, at least 1; no more strata than {@code size}
   * @param size of the sample, at most all rows
   */
  static int[] divide(List<Long> strata, int size) {
    int[] allocated = new int[strata.size()];
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < strata.size(); i++) {
      open.add(i);
    }
    int left = size;
    boolean changed = true;
    while (changed) {
      changed = false;
      long rows = open.stream().mapToLong(strata::get).sum();
      int seats = left;
      for (int stratum : List.copyOf(open)) {
        if (strata.get(stratum) * seats < rows) {
          allocated[stratum] = 1;
          open.remove(Integer.valueOf(stratum));
          left--;
          changed = true;
        }
      }
    }
    divideInProportion(strata, open, left, allocated);
    return allocated;
  }

  /**
   * Orders the strata so that every prefix is divided in proportion, to within one row, as {@link
   * #divide} would for that size.
   *
   * @param strata rows of each, the largest first; no more strata than {@code size}
   * @return for each row of the sample the index of its stratum
   */
  static List<Integer> order(List<Long> strata, int size) {
    int[] whole = divide(strata, size);
    int[] taken = new int[strata.size()];
    List<Integer> order = new ArrayList<>();
    for (int rows = 1; rows <= size; rows++) {
      int[] wanted =
          rows < strata.size()
              ? Arrays.copyOf(divide(strata.subList(0, rows), rows), strata.size())
              : divide(strata, rows);
      int next =
          IntStream.range(0, whole.length)
              .filter(stratum -> taken[stratum] < whole[stratum])
              .boxed()
              .max(Comparator.comparingInt(stratum -> wanted[stratum] - taken[stratum]))
              .orElseThrow();
      taken[next]++;
      order.add(next);
    }
    return order;
  }

  private static void divideInProportion(
      List<Long> strata, List<Integer> open, int seats, int[] allocated) {
    long rows = open.stream().mapToLong(strata::get).sum();
    int left = seats;
    for (int stratum : open) {
      allocated[stratum] = (int) (strata.get(stratum) * seats / rows);
      left -= allocated[stratum];
    }
    Comparator<Integer> byRemainder =
        Comparator.comparingLong(stratum -> strata.get(stratum) * seats % rows);
    open.stream()
        .sorted(byRemainder.reversed())
        .limit(left)
        .forEach(stratum -> allocated[stratum]++);
  }
}
