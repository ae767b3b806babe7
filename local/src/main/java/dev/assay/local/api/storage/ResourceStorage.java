package dev.assay.local.api.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.ObjectKey;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The objects of one resource and their history; guarded by the lock of {@link ObjectStorage}. */
final class ResourceStorage {
  private final NavigableMap<ObjectKey, ObjectNode> objects = new TreeMap<>();
  private final History history;

  ResourceStorage(History history) {
    this.history = history;
  }

  @Nullable ObjectNode get(ObjectKey key) {
    return objects.get(key);
  }

  List<ObjectNode> list(String namespace) {
    return objects.entrySet().stream()
        .filter(entry -> namespace.isEmpty() || entry.getKey().namespace().equals(namespace))
        .map(Map.Entry::getValue)
        .toList();
  }

  void put(ObjectKey key, Change change) {
    if (change.deleted()) {
      objects.remove(key);
    } else {
      objects.put(key, change.object());
    }
    history.add(change, History.sizeOf(change.object()));
  }

  Optional<List<Change>> after(long revision) {
    return history.after(revision);
  }
}
