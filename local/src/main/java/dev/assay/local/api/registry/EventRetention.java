package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.storage.ObjectStorage;
import java.util.Comparator;
import java.util.List;

/** Keeps the newest Events only. A cluster forgets them by age; memory is bounded by number. */
final class EventRetention {
  private static final int MAX_EVENTS = 2000;
  private static final int REMOVED_AT_ONCE = 200;

  private final ObjectStorage storage;
  private final ResourceDefinition events;

  EventRetention(ObjectStorage storage, ResourceDefinitions definitions) {
    this.storage = storage;
    this.events = definitions.core("events");
  }

  void created(ResourceDefinition resource) {
    if (!resource.equals(events)) {
      return;
    }
    List<ObjectNode> all = storage.list(events, "").objects();
    if (all.size() > MAX_EVENTS) {
      all.stream()
          .sorted(Comparator.comparing(event -> Long.parseLong(Metadata.resourceVersion(event))))
          .limit(REMOVED_AT_ONCE)
          .forEach(event -> storage.remove(events, ObjectKey.of(event), event, event.deepCopy()));
    }
  }
}
