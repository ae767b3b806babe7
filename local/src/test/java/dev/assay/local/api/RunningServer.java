package dev.assay.local.api;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** A server that listens, with one namespace and a client as Assay's own parts have it. */
final class RunningServer implements AutoCloseable {
  static final String NAMESPACE = "runs";

  private final LocalApiServer server;
  private final KubernetesClient client;

  RunningServer() {
    this(LocalApiServer.Settings.defaults());
  }

  RunningServer(LocalApiServer.Settings settings) {
    this.server = new LocalApiServer(settings);
    server.start();
    this.client = new KubernetesClientBuilder().withConfig(server.clientConfig()).build();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
  }

  LocalApiServer server() {
    return server;
  }

  KubernetesClient client() {
    return client;
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
