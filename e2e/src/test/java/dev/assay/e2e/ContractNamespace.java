package dev.assay.e2e;

import dev.assay.contract.ApiServer;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** A namespace of the cluster for one contract; not a run namespace, so the operator ignores it. */
final class ContractNamespace implements AutoCloseable {
  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private final String name;

  ContractNamespace(String prefix) {
    this.name =
        client
            .resource(
                new NamespaceBuilder()
                    .withNewMetadata()
                    .withGenerateName(prefix)
                    .endMetadata()
                    .build())
            .create()
            .getMetadata()
            .getName();
  }

  String name() {
    return name;
  }

  ApiServer server() {
    return new ApiServer(client);
  }

  /** Deletes the namespace without waiting. */
  @Override
  public void close() {
    client.namespaces().withName(name).delete();
    client.close();
  }
}
