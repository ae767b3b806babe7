package dev.assay.gateway.cluster;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.call.ToolServerSource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ToolServers of some namespaces, watched. */
public final class ToolServers implements ToolServerSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ToolServers.class);

  /** Their statuses can have hundreds of kilobytes. */
  private static final long PAGE = 20;

  private final Map<String, SharedIndexInformer<ToolServer>> informers;

  /**
   * Watches nothing yet.
   *
   * @param onChange called with namespace and name of a server that has changed or was deleted
   */
  public ToolServers(
      KubernetesClient client, List<String> namespaces, BiConsumer<String, String> onChange) {
    this.informers =
        namespaces.stream()
            .distinct()
            .collect(
                Collectors.toUnmodifiableMap(
                    Function.identity(), namespace -> informer(client, namespace, onChange)));
  }

  private static SharedIndexInformer<ToolServer> informer(
      KubernetesClient client, String namespace, BiConsumer<String, String> onChange) {
    SharedIndexInformer<ToolServer> informer =
        client
            .resources(ToolServer.class)
            .inNamespace(namespace)
            .withLimit(PAGE)
            .runnableInformer(0)
            .exceptionHandler(
                (started, failure) -> {
                  LOG.warn("A watch failed and is retried: {}", failure.getMessage());
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
    return informers.values().stream().allMatch(SharedIndexInformer::hasSynced);
  }

  @Override
  public Optional<ToolServer> find(String namespace, String name) {
    return Optional.ofNullable(informers.get(namespace))
        .map(informer -> informer.getStore().getByKey(Cache.namespaceKeyFunc(namespace, name)));
  }

  @Override
  public void close() {
    informers.values().forEach(SharedIndexInformer::stop);
  }
}
