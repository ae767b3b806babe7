package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.registry.DeleteOptions.Propagation;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.api.storage.ObjectStorage.Owned;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Deletes objects, and what goes with them: dependents, and the contents of a namespace. */
final class Deletion {
  private final ObjectStorage storage;
  private final Namespaces namespaces;
  private final GarbageCollector collector;
  private final Clock clock;

  /**
   * How a deletion went.
   *
   * @param object as it is, or as it was at last
   * @param removed whether it is gone
   */
  record Deleted(ObjectNode object, boolean removed) {}

  Deletion(ObjectStorage storage, Namespaces namespaces, Clock clock) {
    this.storage = storage;
    this.namespaces = namespaces;
    this.collector = new GarbageCollector(storage);
    this.clock = clock;
  }

  Deleted delete(ResourceDefinition resource, ObjectKey key, DeleteOptions options) {
    while (true) {
      ObjectNode old =
          storage
              .get(resource, key)
              .orElseThrow(() -> ApiException.notFound(resource.reference(key.name())));
      checkPreconditions(resource, old, options);
      long grace = Strategies.of(resource).gracePeriodSeconds(old, options.gracePeriodSeconds());
      boolean mayGo =
          grace == 0 && Metadata.finalizers(old).isEmpty() && !namespaces.isNamespace(resource);
      if (options.dryRun()) {
        return new Deleted(old, mayGo);
      }
      Optional<Deleted> done = mayGo ? remove(resource, old, options) : mark(resource, old, grace);
      if (done.isPresent()) {
        return done.get();
      }
    }
  }

  private static void checkPreconditions(
      ResourceDefinition resource, ObjectNode old, DeleteOptions options) {
    check(resource, old, "UID", options.uid(), Metadata.uid(old));
    check(
        resource, old, "ResourceVersion", options.resourceVersion(), Metadata.resourceVersion(old));
  }

  private static void check(
      ResourceDefinition resource,
      ObjectNode old,
      String what,
      @Nullable String wanted,
      String found) {
    if (wanted != null && !wanted.equals(found)) {
      throw ApiException.conflict(
          resource.reference(Metadata.name(old)),
          "Precondition failed: %s in precondition: %s, %s in object meta: %s"
              .formatted(what, wanted, what, found));
    }
  }

  private Optional<Deleted> remove(
      ResourceDefinition resource, ObjectNode old, DeleteOptions options) {
    ObjectNode last = old.deepCopy();
    if (!storage.remove(resource, ObjectKey.of(old), old, last)) {
      return Optional.empty();
    }
    removed(resource, last, options.propagation());
    return Optional.of(new Deleted(last, true));
  }

  /** Does what follows the removal of an object. */
  void removed(ResourceDefinition resource, ObjectNode last, Propagation propagation) {
    collector.ownerIsGone(
        Metadata.uid(last), propagation == Propagation.ORPHAN, this::deleteQuietly);
    if (resource.namespaced()) {
      removeIfEmpty(Metadata.namespace(last));
    }
  }

  /** Does what follows a write: an object whose owners are gone goes too. */
  void written(ResourceDefinition resource, ObjectNode object) {
    collector.collect(new Owned(resource, object), this::deleteQuietly);
  }

  /** Says that an object is to go; somebody else has to let go of it first. */
  private Optional<Deleted> mark(ResourceDefinition resource, ObjectNode old, long grace) {
    long before = old.path("metadata").path("deletionGracePeriodSeconds").asLong(Long.MAX_VALUE);
    if (Metadata.isBeingDeleted(old) && grace >= before) {
      return Optional.of(new Deleted(old, false));
    }
    ObjectNode marked = old.deepCopy();
    long generation = old.path("metadata").path("generation").asLong();
    if (generation > 0 && !Metadata.isBeingDeleted(old)) {
      Metadata.of(marked).put("generation", generation + 1);
    }
    Metadata.of(marked)
        .put(
            "deletionTimestamp",
            clock.instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(grace).toString())
        .put("deletionGracePeriodSeconds", Math.toIntExact(grace));
    if (namespaces.isNamespace(resource)) {
      marked.withObject("/status").put("phase", "Terminating");
    }
    if (!storage.replace(resource, ObjectKey.of(old), old, marked)) {
      return Optional.empty();
    }
    if (namespaces.isNamespace(resource)) {
      namespaces.contentsOf(Metadata.name(marked)).forEach(this::deleteQuietly);
      removeIfEmpty(Metadata.name(marked));
    }
    return Optional.of(new Deleted(marked, false));
  }

  private void removeIfEmpty(String namespace) {
    namespaces
        .emptyAndBeingDeleted(namespace)
        .ifPresent(found -> remove(namespaces.definition(), found, DeleteOptions.DEFAULT));
  }

  /** Deletes an object that may be gone, or replaced, by now. */
  private void deleteQuietly(Owned owned) {
    DeleteOptions sameObject =
        new DeleteOptions(null, Propagation.BACKGROUND, Metadata.uid(owned.object()), null, false);
    try {
      delete(owned.resource(), ObjectKey.of(owned.object()), sameObject);
    } catch (ApiException e) {
      if (e.code() != 404 && e.code() != 409) {
        throw e;
      }
    }
  }
}
