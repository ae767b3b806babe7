package dev.assay.gateway.cluster;

import dev.assay.api.kubernetes.RefusedNamespaces;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.call.ServerKey;
import dev.assay.gateway.call.ToolServerSource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The ToolServers of some namespaces: watched, and read again before they are used. */
public final class ToolServers implements ToolServerSource, AutoCloseable {
  /** Their statuses can have hundreds of kilobytes. */
  private static final long PAGE = 20;

  /** A call waits for it. */
  private static final RequestConfig QUICK =
      new RequestConfigBuilder().withRequestTimeout(2000).withRequestRetryBackoffLimit(1).build();

  private final KubernetesClient reader;
  private final LongSupplier nanoTime;
  private final Map<String, SharedIndexInformer<ToolServer>> informers;
  private final RefusedNamespaces refused = new RefusedNamespaces();
  private final Map<ServerKey, KnownServer> known = new ConcurrentHashMap<>();

  /**
   * Watches nothing yet.
   *
   * @param onChange called with namespace and name of a server that has changed or was deleted
   */
  public ToolServers(
      KubernetesClient client,
      List<String> namespaces,
      LongSupplier nanoTime,
      BiConsumer<String, String> onChange) {
    this.reader = client.newClient(QUICK).adapt(KubernetesClient.class);
    this.nanoTime = nanoTime;
    this.informers =
        namespaces.stream()
            .distinct()
            .collect(
                Collectors.toUnmodifiableMap(
                    Function.identity(), namespace -> informer(client, namespace, onChange)));
  }

  private SharedIndexInformer<ToolServer> informer(
      KubernetesClient client, String namespace, BiConsumer<String, String> onChange) {
    SharedIndexInformer<ToolServer> informer =
        client
            .resources(ToolServer.class)
            .inNamespace(namespace)
            .withLimit(PAGE)
            .runnableInformer(0)
            .exceptionHandler(
                (started, failure) -> {
                  refused.onFailure(namespace, failure);
                  return true;
                });
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(ToolServer server) {}

          @Override
          public void onUpdate(ToolServer before, ToolServer server) {
            if (!before.getSpec().equals(server.getSpec())) {
              changed(server);
            }
          }

          @Override
          public void onDelete(ToolServer server, boolean finalStateUnknown) {
            changed(server);
          }

          private void changed(ToolServer server) {
            onChange.accept(server.getMetadata().getNamespace(), server.getMetadata().getName());
          }
        });
    return informer;
  }

  /** Starts to watch, and keeps trying while the API server does not answer. */
  public void start() {
    informers.values().forEach(informer -> informer.start());
  }

  @Override
  public boolean isRead() {
    return refused.hasSynced(informers);
  }

  @Override
  public Optional<ToolServer> find(String namespace, String name) {
    ServerKey key = new ServerKey(namespace, name);
    SharedIndexInformer<ToolServer> informer = informers.get(namespace);
    if (informer != null && !informer.hasSynced()) {
      throw new KubernetesClientException(
          "The tool servers of namespace " + namespace + " have not been read");
    }
    if (watched(key) == null) {
      // Names come from code: only those that there are take memory.
      known.remove(key);
      return Optional.empty();
    }
    return known
        .computeIfAbsent(key, k -> new KnownServer(() -> watched(k), () -> read(k), nanoTime))
        .get();
  }

  private @Nullable ToolServer watched(ServerKey key) {
    SharedIndexInformer<ToolServer> informer = informers.get(key.namespace());
    return informer == null
        ? null
        : informer.getStore().getByKey(Cache.namespaceKeyFunc(key.namespace(), key.name()));
  }

  private Optional<ToolServer> read(ServerKey key) {
    return Optional.ofNullable(
        reader.resources(ToolServer.class).inNamespace(key.namespace()).withName(key.name()).get());
  }

  @Override
  public void close() {
    informers.values().forEach(SharedIndexInformer::stop);
  }
}
