package dev.assay.operator.output;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.output.SharedLimit.Item;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
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
    return limit(limits).allows(stored.size(), stored.stream().mapToLong(OutputEntry::bytes).sum());
  }

  /**
   * The outputs to remove, the oldest of the caller who has most first.
   *
   * @param stored all outputs of one namespace
   * @param removable by run UID; others count towards the limits and are kept
   * @param callers by run UID; empty where it is not known
   */
  public static List<OutputEntry> excess(
      Collection<OutputEntry> stored,
      OutputStoreConfig limits,
      Predicate<String> removable,
      Function<String, String> callers) {
    return limit(limits)
        .excess(
            stored.stream()
                .sorted(Comparator.comparing(OutputEntry::lastWrite))
                .map(
                    entry ->
                        new Item<>(
                            entry,
                            callers.apply(entry.runUid()),
                            entry.bytes(),
                            removable.test(entry.runUid())))
                .toList());
  }

  /**
   * The values to remove so that cached results stay within their limit, in the same order.
   *
   * @param stored everything that is stored of one namespace
   * @param maxBytes the limit
   * @param cached by run UID: whether its value is a cached result
   * @param callers as above
   */
  public static List<OutputEntry> excessOfCache(
      Collection<OutputEntry> stored,
      long maxBytes,
      Predicate<String> cached,
      Function<String, String> callers) {
    return new SharedLimit(Long.MAX_VALUE, maxBytes)
        .excess(
            stored.stream()
                .filter(entry -> entry.valueBytes() > 0 && cached.test(entry.runUid()))
                .sorted(Comparator.comparing(OutputEntry::lastWrite))
                .map(
                    entry ->
                        new Item<>(entry, callers.apply(entry.runUid()), entry.valueBytes(), true))
                .toList());
  }

  private static SharedLimit limit(OutputStoreConfig limits) {
    return new SharedLimit(limits.maxRunsPerNamespace(), limits.maxBytesPerNamespace());
  }
}
