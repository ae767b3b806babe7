package dev.assay.frontend.cluster;

import static dev.assay.api.kubernetes.RefusedNamespaces.CLUSTER;

import dev.assay.api.kubernetes.RefusedNamespaces;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one kind in some namespaces: a cache without their large members, and
 * subscriptions to single objects, which get them whole.
 */
final class InformedObjects<T extends HasMetadata>
    implements ResourceEventHandler<T>, AutoCloseable {
  /** Objects can have a third of a megabyte each, and a page of them is in memory whole. */
  private static final long PAGE = 50;

  private final Class<T> kind;
  private final Map<String, Set<Subscription<T>>> subscriptions = new ConcurrentHashMap<>();
  private final List<Consumer<T>> listeners = new CopyOnWriteArrayList<>();
  private final RefusedNamespaces refused = new RefusedNamespaces();
  private final Map<String, SharedIndexInformer<T>> informers;

  /**
   * Watches nothing yet; see {@link #start()}.
   *
   * @param resources what to watch, by namespace; the empty name for a kind of the whole cluster
   * @param lighten makes the copy that the cache keeps
   */
  InformedObjects(
      Class<T> kind, Map<String, ? extends Informable<T>> resources, UnaryOperator<T> lighten) {
    this.kind = kind;
    this.informers =
        resources.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey,
                    entry -> informer(entry.getKey(), entry.getValue(), lighten)));
  }

  private SharedIndexInformer<T> informer(
      String namespace, Informable<T> resource, UnaryOperator<T> lighten) {
    SharedIndexInformer<T> informer =
        resource
            .withLimit(PAGE)
            .runnableInformer(0)
            .itemStore(new LightStore<>(lighten))
            .exceptionHandler(
                (started, failure) -> {
                  refused.onFailure(namespace, failure);
                  return true;
                });
    informer.addEventHandler(this);
    return informer;
  }

  /** Starts to watch, and goes on trying for as long as the API server does not answer. */
  InformedObjects<T> start() {
    for (SharedIndexInformer<T> informer : informers.values()) {
      var unused = informer.start();
    }
    return this;
  }

  /** Whether the caches have been filled once, but for those of refused namespaces. */
  boolean hasSynced() {
    return refused.hasSynced(informers);
  }

  Subscription<T> follow(String namespace, String name) {
    String key = Cache.namespaceKeyFunc(namespace, name);
    Subscription<T>[] made = newArray();
    Subscription<T> subscription = new Subscription<>(() -> unsubscribe(key, made[0]));
    made[0] = subscription;
    subscriptions.compute(
        key,
        (k, known) -> {
          Set<Subscription<T>> all = known == null ? ConcurrentHashMap.newKeySet() : known;
          all.add(subscription);
          return all;
        });
    return subscription;
  }

  @SuppressWarnings("unchecked") // An array of one, never handed out.
  private static <T> Subscription<T>[] newArray() {
    return (Subscription<T>[]) new Subscription<?>[1];
  }

  private void unsubscribe(String key, Subscription<T> subscription) {
    subscriptions.computeIfPresent(
        key,
        (k, known) -> {
          known.remove(subscription);
          return known.isEmpty() ? null : known;
        });
  }

  /**
   * The light copy of an object.
   *
   * @throws ClusterException if this process may not read those of the namespace
   */
  Optional<T> find(@Nullable String namespace, String name) {
    return informer(namespace == null ? CLUSTER : namespace)
        .map(informer -> informer.getStore().getByKey(Cache.namespaceKeyFunc(namespace, name)));
  }

  /**
   * The light copies of a namespace's objects.
   *
   * @throws ClusterException if this process may not read them
   */
  List<T> list(String namespace) {
    return informer(namespace).map(informer -> informer.getStore().list()).orElse(List.of());
  }

  /** That there is nothing would be a wrong answer where nothing may be read. */
  private Optional<SharedIndexInformer<T>> informer(String namespace) {
    SharedIndexInformer<T> informer = informers.get(namespace);
    if (informer != null && refused.isRefused(namespace) && !informer.hasSynced()) {
      throw ClusterException.refused(
          "namespace '%s' is not served yet: the endpoint may not read its %s; ask the platform team, or retry later"
              .formatted(namespace, HasMetadata.getPlural(kind)));
    }
    return Optional.ofNullable(informer);
  }

  /** Tells of every object that is seen for the first time from now on. */
  void onAdd(Consumer<T> listener) {
    listeners.add(listener);
  }

  @Override
  public void onAdd(T object) {
    publish(object, false);
    listeners.forEach(listener -> listener.accept(object));
  }

  @Override
  public void onUpdate(T before, T object) {
    publish(object, false);
  }

  @Override
  public void onDelete(T object, boolean finalStateUnknown) {
    publish(object, true);
  }

  private void publish(T object, boolean deleted) {
    Set<Subscription<T>> interested =
        subscriptions.getOrDefault(Cache.metaNamespaceKeyFunc(object), Set.of());
    interested.forEach(subscription -> subscription.publish(new Change<>(object, deleted)));
  }

  @Override
  public void close() {
    informers.values().forEach(SharedIndexInformer::stop);
  }

  private static final class LightStore<T extends HasMetadata> extends BasicItemStore<T> {
    private final UnaryOperator<T> lighten;

    LightStore(UnaryOperator<T> lighten) {
      super(Cache::metaNamespaceKeyFunc);
      this.lighten = lighten;
    }

    @Override
    public @Nullable T put(String key, T object) {
      return super.put(key, Objects.requireNonNull(lighten.apply(object)));
    }

    /** Else the objects of the first list are told of by their light copies. */
    @Override
    public boolean isFullState() {
      return false;
    }
  }
}
