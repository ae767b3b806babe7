package dev.assay.operator.kubernetes;

import dev.assay.operator.kubernetes.http.ApiHttpClientFactory;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** Makes the operator's Kubernetes clients. */
public final class ApiClients {
  private ApiClients() {}

  /** A client that reads light objects, and whose requests and watches are bounded. */
  public static KubernetesClient create(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(new ApiHttpClientFactory())
        .withKubernetesSerialization(CacheSerialization.create())
        .build();
  }
}
