package dev.assay.operator.output;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Decides which outputs of a namespace are removed to keep it within its limits. */
public final class OutputRetention {
  private OutputRetention() {}

  /**
   * Whether nothing has to be removed.
   *
   * @param stored all outputs of one namespace
   */
  public static boolean isWithin(Collection<OutputEntry> stored, OutputStoreConfig limits) {
    return isWithin(stored.size(), bytes(stored), limits);
  }

  /**
   * The outputs to remove, oldest first.
   *
   * @param stored all outputs of one namespace
   * @param removable by run UID; others count towards the limits and are kept
   */
  public static List<OutputEntry> excess(
      Collection<OutputEntry> stored, OutputStoreConfig limits, Predicate<String> removable) {
    long bytes = bytes(stored);
    int runs = stored.size();
    List<OutputEntry> excess = new ArrayList<>();
    List<OutputEntry> oldestFirst =
        stored.stream()
            .filter(entry -> removable.test(entry.runUid()))
            .sorted(Comparator.comparing(OutputEntry::lastWrite))
            .toList();
    for (OutputEntry oldest : oldestFirst) {
      if (isWithin(runs, bytes, limits)) {
        break;
      }
      excess.add(oldest);
      runs--;
      bytes -= oldest.bytes();
    }
    return excess;
  }

  /**
   * The values to remove so that cached results stay within their limit, oldest first.
   *
   * @param stored everything that is stored of one namespace
   * @param maxBytes the limit
   * @param cached by run UID: whether its value is a cached result
   */
  public static List<OutputEntry> excessOfCache(
      Collection<OutputEntry> stored, long maxBytes, Predicate<String> cached) {
    List<OutputEntry> oldestFirst =
        stored.stream()
            .filter(entry -> entry.valueBytes() > 0 && cached.test(entry.runUid()))
            .sorted(Comparator.comparing(OutputEntry::lastWrite))
            .toList();
    long bytes = oldestFirst.stream().mapToLong(OutputEntry::valueBytes).sum();
    List<OutputEntry> excess = new ArrayList<>();
    for (OutputEntry oldest : oldestFirst) {
      if (bytes <= maxBytes) {
        break;
      }
      excess.add(oldest);
      bytes -= oldest.valueBytes();
    }
    return excess;
  }

  private static long bytes(Collection<OutputEntry> stored) {
    return stored.stream().mapToLong(OutputEntry::bytes).sum();
  }

  private static boolean isWithin(int runs, long bytes, OutputStoreConfig limits) {
    return runs <= limits.maxRunsPerNamespace() && bytes <= limits.maxBytesPerNamespace();
  }
}
