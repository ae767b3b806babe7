package dev.assay.local.api.storage;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All objects, in memory. One revision counts all changes, as etcd's does. An object that was
 * handed in or out is shared and must not be changed: copy it first.
 */
public final class ObjectStorage {
  private static final int MAX_CHANGES = 4096;
  private static final long MAX_BYTES = 32L << 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, ResourceStorage> resources = new HashMap<>();
  private final Map<String, Condition> changed = new HashMap<>();
  private final Owners owners = new Owners();
  private final int maxChanges;
  private final long maxBytes;
  private final long firstRevision;
  private long revision;
  private boolean closed;

  /**
   * The objects of a resource at one moment.
   *
   * @param objects by namespace and name
   * @param revision of the moment
   */
  public record Listing(List<ObjectNode> objects, long revision) {}

  /**
   * An object of some resource.
   *
   * @param resource whose
   * @param object as it is
   */
  public record Owned(ResourceDefinition resource, ObjectNode object) {}

  /**
   * An empty storage that remembers some thousand changes of each resource. Its revisions begin
   * with the time, so that whoever knows one of an earlier server's is told to list again.
   */
  public ObjectStorage(Clock clock) {
    this(clock.millis(), MAX_CHANGES, MAX_BYTES);
  }

  /**
   * An empty storage.
   *
   * @param firstRevision before any change
   * @param maxChanges of each resource that are remembered for watches
   * @param maxBytes of each resource that are remembered for watches, about
   */
  public ObjectStorage(long firstRevision, int maxChanges, long maxBytes) {
    this.firstRevision = firstRevision;
    this.revision = firstRevision;
    this.maxChanges = maxChanges;
    this.maxBytes = maxBytes;
  }

  private ResourceStorage of(ResourceDefinition resource) {
    return resources.computeIfAbsent(
        resource.qualifiedName(),
        name -> new ResourceStorage(new History(firstRevision, maxChanges, maxBytes)));
  }

  private Condition changed(ResourceDefinition resource) {
    return changed.computeIfAbsent(resource.qualifiedName(), name -> lock.newCondition());
  }

  /** The revision of the latest change. */
  public long revision() {
    lock.lock();
    try {
      return revision;
    } finally {
      lock.unlock();
    }
  }

  /** An object as it is. */
  public Optional<ObjectNode> get(ResourceDefinition resource, ObjectKey key) {
    lock.lock();
    try {
      return Optional.ofNullable(of(resource).get(key));
    } finally {
      lock.unlock();
    }
  }

  /**
   * All objects as they are.
   *
   * @param namespace whose; empty for all namespaces
   */
  public Listing list(ResourceDefinition resource, String namespace) {
    lock.lock();
    try {
      return new Listing(of(resource).list(namespace), revision);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Stores an object in the place of another, if that is still there.
   *
   * @param before what was read; absent where nothing is to be there
   * @param object what is to be there; gets the resourceVersion, and is the storage's from now on
   * @return whether {@code before} was still there
   */
  public boolean replace(
      ResourceDefinition resource, ObjectKey key, @Nullable ObjectNode before, ObjectNode object) {
    return change(resource, key, before, object, false);
  }

  /**
   * Removes an object, if it is still there.
   *
   * @param before what was read
   * @param last the object as watches are to see it at last; gets the resourceVersion
   * @return whether {@code before} was still there
   */
  public boolean remove(
      ResourceDefinition resource, ObjectKey key, ObjectNode before, ObjectNode last) {
    return change(resource, key, before, last, true);
  }

  @SuppressWarnings("ReferenceEquality") // Stored objects do not change, so the same is unchanged.
  private boolean change(
      ResourceDefinition resource,
      ObjectKey key,
      @Nullable ObjectNode before,
      ObjectNode object,
      boolean deleted) {
    lock.lock();
    try {
      ResourceStorage storage = of(resource);
      if (storage.get(key) != before) {
        return false;
      }
      revision++;
      Metadata.of(object).put("resourceVersion", Long.toString(revision));
      storage.put(key, new Change(revision, before, object, deleted));
      owners.change(resource, key, before, deleted ? null : object);
      changed(resource).signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The objects that name an owner. */
  public List<Owned> dependentsOf(String ownerUid) {
    lock.lock();
    try {
      return owners.dependentsOf(ownerUid).stream()
          .map(
              dependent ->
                  new Owned(
                      dependent.resource(),
                      requireNonNull(of(dependent.resource()).get(dependent.key()))))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  /** Those of some UIDs that no object has. */
  public Set<String> absentOf(List<String> uids) {
    lock.lock();
    try {
      return owners.absentOf(uids);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The changes of a resource after a revision; waits for one where there is none yet.
   *
   * @param atMost how long to wait
   * @return no change where none came in time, or the storage was closed; empty where some of them
   *     are forgotten
   * @throws InterruptedException where the thread is to end
   */
  public Optional<List<Change>> awaitAfter(ResourceDefinition resource, long after, Duration atMost)
      throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (true) {
        Optional<List<Change>> changes = of(resource).after(after);
        if (changes.isEmpty() || !changes.get().isEmpty() || left <= 0 || closed) {
          return changes;
        }
        left = changed(resource).awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether the storage was closed. */
  public boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the waiting of all who wait for changes. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.values().forEach(Condition::signalAll);
    } finally {
      lock.unlock();
    }
  }
}
