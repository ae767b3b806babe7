package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.patch.Patches;
import dev.assay.local.api.registry.DeleteOptions.Propagation;
import dev.assay.local.api.registry.Deletion.Deleted;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.storage.ObjectStorage;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What can be done with objects, as requests ask for it and as others in this process may. Objects
 * that are handed out are shared and must not be changed. Every method throws {@link ApiException}
 * where it refuses.
 */
public final class Registry {
  private final ObjectStorage storage;
  private final Creation creation;
  private final Deletion deletion;
  private final EventRetention events;
  private final ResourceDefinition pods;

  /** A registry of these resources, over an empty or a filled storage. */
  public Registry(ObjectStorage storage, ResourceDefinitions definitions, Clock clock) {
    Namespaces namespaces = new Namespaces(storage, definitions);
    this.storage = storage;
    this.creation = new Creation(storage, namespaces, new PodQuota(storage, definitions), clock);
    this.deletion = new Deletion(storage, namespaces, clock);
    this.events = new EventRetention(storage, definitions);
    this.pods = definitions.core("pods");
  }

  /** Where the objects are; to read and to watch. */
  public ObjectStorage storage() {
    return storage;
  }

  /** An object as it is. */
  public ObjectNode get(ResourceDefinition resource, ObjectKey key) {
    return storage
        .get(resource, key)
        .orElseThrow(() -> ApiException.notFound(resource.reference(key.name())));
  }

  /** Creates an object. */
  public ObjectNode create(
      ResourceDefinition resource, String namespace, JsonNode body, WriteOptions options) {
    ObjectNode created = creation.create(resource, namespace, body, options);
    if (!options.dryRun()) {
      deletion.written(resource, created);
      events.created(resource);
    }
    return created;
  }

  /**
   * Replaces an object.
   *
   * @param subresource {@code status}, or absent for all but the status
   */
  public ObjectNode update(
      ResourceDefinition resource,
      ObjectKey key,
      @Nullable String subresource,
      JsonNode body,
      WriteOptions options) {
    return change(resource, key, subresource, old -> body, options);
  }

  /**
   * Patches an object.
   *
   * @param mediaType one of {@link Patches}
   * @param subresource {@code status}, or absent for all but the status
   */
  public ObjectNode patch(
      ResourceDefinition resource,
      ObjectKey key,
      @Nullable String subresource,
      String mediaType,
      JsonNode patch,
      WriteOptions options) {
    Patches.checkType(mediaType);
    return change(resource, key, subresource, old -> Patches.apply(mediaType, patch, old), options);
  }

  /** Decided again from the newest object for as long as others write in between. */
  private ObjectNode change(
      ResourceDefinition resource,
      ObjectKey key,
      @Nullable String subresource,
      Function<ObjectNode, JsonNode> change,
      WriteOptions options) {
    while (true) {
      ObjectNode old = get(resource, key);
      ObjectNode updated = Update.of(resource, old, change.apply(old), subresource, options);
      if (sameObject(updated, old) || options.dryRun() || store(resource, key, old, updated)) {
        return updated;
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // An update that changes nothing hands back what it got.
  private static boolean sameObject(ObjectNode updated, ObjectNode old) {
    return updated == old;
  }

  private boolean store(
      ResourceDefinition resource, ObjectKey key, ObjectNode old, ObjectNode updated) {
    if (isLetGo(updated)) {
      boolean removed = storage.remove(resource, key, old, updated);
      if (removed) {
        deletion.removed(resource, updated, Propagation.BACKGROUND);
      }
      return removed;
    }
    boolean replaced = storage.replace(resource, key, old, updated);
    if (replaced) {
      deletion.written(resource, updated);
    }
    return replaced;
  }

  /** Whether an object that is being deleted has nobody left who holds it. */
  private static boolean isLetGo(ObjectNode object) {
    return Metadata.isBeingDeleted(object)
        && Metadata.finalizers(object).isEmpty()
        && object.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0
        && !object.path("spec").path("finalizers").isArray();
  }

  /** Deletes an object: the answer is the object, or a Status where it is gone. */
  public ObjectNode delete(ResourceDefinition resource, ObjectKey key, DeleteOptions options) {
    Deleted deleted = deletion.delete(resource, key, options);
    if (!deleted.removed() || Strategies.of(resource).returnsDeletedObject()) {
      return deleted.object();
    }
    ObjectNode status = deleted.object().objectNode();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    status
        .put("status", "Success")
        .putObject("details")
        .put("name", key.name())
        .put("group", resource.group())
        .put("kind", resource.names().plural())
        .put("uid", Metadata.uid(deleted.object()));
    return status;
  }

  /**
   * Deletes what is selected of a resource.
   *
   * @return what was there
   */
  public List<ObjectNode> deleteCollection(
      ResourceDefinition resource,
      String namespace,
      Predicate<? super ObjectNode> selected,
      DeleteOptions options) {
    List<ObjectNode> found =
        storage.list(resource, namespace).objects().stream().filter(selected).toList();
    for (ObjectNode object : found) {
      try {
        deletion.delete(resource, ObjectKey.of(object), options);
      } catch (ApiException e) {
        if (e.code() != 404) {
          throw e;
        }
      }
    }
    return found;
  }

  /** Assigns a Pod to a node, as a scheduler does. */
  public void bind(ObjectKey pod, String nodeName) {
    while (true) {
      ObjectNode old = get(pods, pod);
      if (Metadata.isBeingDeleted(old)) {
        throw ApiException.conflict(
            pods.reference(pod.name()), "pod %s is being deleted".formatted(pod.name()));
      }
      if (!old.path("spec").path("nodeName").asText("").isEmpty()) {
        throw ApiException.conflict(
            pods.reference(pod.name()),
            "pod %s is already assigned to a node".formatted(pod.name()));
      }
      ObjectNode bound = old.deepCopy();
      bound.withObject("/spec").put("nodeName", nodeName);
      bound
          .withObject("/status")
          .withArray("conditions")
          .addObject()
          .put("type", "PodScheduled")
          .put("status", "True");
      if (storage.replace(pods, pod, old, bound)) {
        return;
      }
    }
  }
}
