package dev.assay.frontend.cluster;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.frontend.toolserver.ToolServers;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** ToolServers, through one informer for each namespace. */
public final class ClusterToolServers implements ToolServers, AutoCloseable {
  private final InformedObjects<ToolServer> servers;

  /** Starts to watch the tool servers of some namespaces. */
  public ClusterToolServers(KubernetesClient client, Collection<String> namespaces) {
    this.servers =
        new InformedObjects<>(
                ToolServer.class,
                namespaces.stream()
                    .collect(
                        Collectors.toMap(
                            Function.identity(),
                            namespace ->
                                client.resources(ToolServer.class).inNamespace(namespace))),
                LightCopies::of)
            .start();
  }

  @Override
  public List<ToolServer> list(String namespace) {
    return servers.list(namespace);
  }

  @Override
  public void close() {
    servers.close();
  }
}
