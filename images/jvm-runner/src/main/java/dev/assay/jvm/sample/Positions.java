package dev.assay.jvm.sample;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;

/** Chooses rows of a table by their positions, from 0, in the order of the table. */
final class Positions {
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private Positions() {}

  static List<Long> head(int size, long rows) {
    return LongStream.range(0, Math.min(size, rows)).boxed().toList();
  }

  /** The rows ⌊i·rows/size⌋. */
  static List<Long> systematic(int size, long rows) {
    long count = Math.min(size, rows);
    return LongStream.range(0, count).map(i -> Math.floorDiv(i * rows, count)).boxed().toList();
  }

  /**
   * Different rows, each set of them as probable as any other, and each order: Floyd's algorithm,
   * which needs no more memory than the sample, and a shuffle.
   */
  static List<Long> random(int size, long rows, long seed) {
    long state = seed;
    TreeSet<Long> chosen = new TreeSet<>();
    for (long last = rows - Math.min(size, rows); last < rows; last++) {
      state += GOLDEN_GAMMA;
      long candidate = Math.unsignedMultiplyHigh(mixed(state), last + 1);
      chosen.add(chosen.contains(candidate) ? last : candidate);
    }
    List<Long> shuffled = new ArrayList<>(chosen);
    for (int left = shuffled.size(); left > 1; left--) {
      state += GOLDEN_GAMMA;
      int last = (int) Math.unsignedMultiplyHigh(mixed(state), left);
      Collections.swap(shuffled, last, left - 1);
    }
    return shuffled;
  }

  /**
   * The finalizer of SplitMix64. A generator of the JDK would not do: a later version may return
   * other numbers for the same seed.
   */
  private static long mixed(long state) {
    long bits = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }
}
