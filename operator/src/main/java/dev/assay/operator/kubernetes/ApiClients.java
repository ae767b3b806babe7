package dev.assay.operator.kubernetes;

import dev.assay.api.kubernetes.ApiHttpClientFactory;
import dev.assay.api.kubernetes.RequestObserver;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;

/** Creates the operator's Kubernetes clients. */
public final class ApiClients {
  private ApiClients() {}

  /** A client that deserializes light objects, and whose requests and watches have limits. */
  public static KubernetesClient create(Config config) {
    return create(config, RequestObserver.NONE);
  }

  /** The same, whose requests are observed. */
  public static KubernetesClient create(Config config, RequestObserver observer) {
    return ApiHttpClientFactory.clientBuilder(observer)
        .withConfig(config)
        .withKubernetesSerialization(CacheSerialization.create())
        .build();
  }

  /** Whether the API server responds to a request, even with an error. */
  public static boolean isAnswered(KubernetesClient client) {
    try {
      client.getKubernetesVersion();
      return true;
    } catch (KubernetesClientException e) {
      return e.getCode() > 0;
    }
  }

  /** Whether the API server responds on a new connection. */
  public static boolean newConnectionIsAnswered(KubernetesClient like) {
    Config config =
        new ConfigBuilder(like.getConfiguration()).withRequestRetryBackoffLimit(0).build();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      return isAnswered(client);
    }
  }
}
