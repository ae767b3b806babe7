package dev.assay.operator.output;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** What is stored, in memory, so that the store is rarely listed. */
final class OutputIndex {
  private final Map<String, Map<String, OutputEntry>> namespaces = new ConcurrentHashMap<>();
  private final Set<String> loaded = ConcurrentHashMap.newKeySet();

  void put(String namespace, OutputEntry entry) {
    entriesByUid(namespace).put(entry.runUid(), entry);
  }

  void remove(String namespace, String runUid) {
    entriesByUid(namespace).remove(runUid);
  }

  Optional<OutputEntry> find(String namespace, String runUid) {
    return Optional.ofNullable(entriesByUid(namespace).get(runUid));
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
