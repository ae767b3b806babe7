package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.api.storage.ObjectStorage.Owned;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Deletes what has lost the last of its owners. */
final class GarbageCollector {
  private final ObjectStorage storage;

  GarbageCollector(ObjectStorage storage) {
    this.storage = storage;
  }

  /**
   * Looks at the dependents of an owner that is gone.
   *
   * @param orphan whether they are to stay without an owner
   * @param delete deletes an object
   */
  void ownerIsGone(String uid, boolean orphan, Consumer<Owned> delete) {
    for (Owned dependent : storage.dependentsOf(uid)) {
      if (orphan) {
        removeReferences(dependent.resource(), dependent.object(), Set.of(uid));
      } else {
        collect(dependent, delete);
      }
    }
  }

  /** Looks at an object that was written: its owners may have gone before. */
  void collect(Owned dependent, Consumer<Owned> delete) {
    List<String> owners = Metadata.ownerUids(dependent.object());
    Set<String> absent = storage.absentOf(owners);
    if (absent.isEmpty()) {
      return;
    }
    if (absent.containsAll(owners)) {
      delete.accept(dependent);
    } else {
      removeReferences(dependent.resource(), dependent.object(), absent);
    }
  }

  private void removeReferences(
      ResourceDefinition resource, ObjectNode object, Set<String> ownerUids) {
    ObjectNode changed = object.deepCopy();
    ArrayNode references = Metadata.of(changed).withArray("ownerReferences");
    references.removeIf(reference -> ownerUids.contains(reference.path("uid").asText()));
    if (references.isEmpty()) {
      Metadata.of(changed).remove("ownerReferences");
    }
    ObjectKey key = ObjectKey.of(object);
    if (!storage.replace(resource, key, object, changed)) {
      storage
          .get(resource, key)
          .filter(current -> Metadata.uid(current).equals(Metadata.uid(object)))
          .ifPresent(current -> removeReferences(resource, current, ownerUids));
    }
  }
}
