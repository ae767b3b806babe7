package dev.assay.local.api.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who is there, and who names whom as an owner; guarded by the lock of {@link ObjectStorage}. */
final class Owners {
  private final Set<String> uids = new HashSet<>();
  private final Map<String, Set<Dependent>> dependents = new HashMap<>();

  record Dependent(ResourceDefinition resource, ObjectKey key) {}

  void change(
      ResourceDefinition resource,
      ObjectKey key,
      @Nullable ObjectNode before,
      @Nullable ObjectNode after) {
    Dependent dependent = new Dependent(resource, key);
    if (before != null) {
      uids.remove(Metadata.uid(before));
      Metadata.ownerUids(before)
          .forEach(
              owner ->
                  dependents.computeIfPresent(
                      owner,
                      (uid, known) -> {
                        known.remove(dependent);
                        return known.isEmpty() ? null : known;
                      }));
    }
    if (after != null) {
      uids.add(Metadata.uid(after));
      Metadata.ownerUids(after)
          .forEach(
              owner ->
                  dependents.computeIfAbsent(owner, uid -> new LinkedHashSet<>()).add(dependent));
    }
  }

  List<Dependent> dependentsOf(String ownerUid) {
    return List.copyOf(dependents.getOrDefault(ownerUid, Set.of()));
  }

  Set<String> absentOf(List<String> wanted) {
    Set<String> absent = new HashSet<>(wanted);
    absent.removeAll(uids);
    return absent;
  }
}
