package dev.assay.operator.output;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What is stored, in memory, so that the store is rarely listed. */
final class OutputIndex {
  private final Map<String, Map<String, OutputEntry>> namespaces = new ConcurrentHashMap<>();
  private final Set<String> loaded = ConcurrentHashMap.newKeySet();

  /**
   * Changes an entry; several threads may change one at a time.
   *
   * @param empty is changed where there is none yet
   */
  void update(String namespace, OutputEntry empty, UnaryOperator<OutputEntry> change) {
    entriesByUid(namespace)
        .compute(empty.runUid(), (uid, entry) -> change.apply(entry == null ? empty : entry));
  }

  void removeValue(String namespace, String runUid) {
    entriesByUid(namespace).computeIfPresent(runUid, (uid, entry) -> entry.withoutValue());
  }

  void remove(String namespace, String runUid) {
    entriesByUid(namespace).remove(runUid);
  }

  boolean contains(String namespace, String runUid) {
    return entriesByUid(namespace).containsKey(runUid);
  }

  /** Whether a list of the store was taken over. */
  boolean isLoaded(String namespace) {
    return loaded.contains(namespace);
  }

  List<OutputEntry> entries(String namespace) {
    return List.copyOf(entriesByUid(namespace).values());
  }

  /**
   * Takes over a list of the store.
   *
   * @param begun when the listing began; entries that were written since are newer than the list
   */
  void replace(String namespace, Collection<OutputEntry> listed, Instant begun) {
    Map<String, OutputEntry> known = entriesByUid(namespace);
    Set<String> uids = listed.stream().map(OutputEntry::runUid).collect(Collectors.toSet());
    known
        .values()
        .removeIf(entry -> !uids.contains(entry.runUid()) && entry.lastWrite().isBefore(begun));
    for (OutputEntry entry : listed) {
      known.merge(
          entry.runUid(), entry, (old, seen) -> old.lastWrite().isBefore(begun) ? seen : old);
    }
    loaded.add(namespace);
  }

  private Map<String, OutputEntry> entriesByUid(String namespace) {
    return namespaces.computeIfAbsent(namespace, name -> new ConcurrentHashMap<>());
  }
}
