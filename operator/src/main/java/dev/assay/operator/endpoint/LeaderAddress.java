package dev.assay.operator.endpoint;

import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.kubernetes.ApiErrors;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routes the operator's Service to the leader only: the Service has no selector, and the leader
 * writes its own address into the Service's EndpointSlice.
 */
public final class LeaderAddress {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderAddress.class);
  private static final String PORT_NAME = "internal";

  private final KubernetesClient client;
  private final String namespace;
  private final EndpointConfig config;

  public LeaderAddress(KubernetesClient client, String namespace, EndpointConfig config) {
    this.client = client;
    this.namespace = namespace;
    this.config = config;
  }

  /**
   * Publishes this replica's address again if another one is there. A former leader that was frozen
   * while it published its own may finish that after it was replaced.
   */
  void restore(String podIp) {
    try {
      EndpointSlice slice =
          client
              .discovery()
              .v1()
              .endpointSlices()
              .inNamespace(namespace)
              .withName(config.serviceName())
              .get();
      if (slice == null || !isOnlyAddress(slice, podIp)) {
        LOG.warn("Service {} does not route to this leader; correcting it", config.serviceName());
        publish(podIp);
      }
    } catch (RuntimeException e) {
      // The next check retries. An API server that is unavailable is reported elsewhere.
      LOG.debug("The address of the leader could not be checked: {}", e.toString());
    }
  }

  private static boolean isOnlyAddress(EndpointSlice slice, String podIp) {
    return slice.getEndpoints().size() == 1
        && slice.getEndpoints().getFirst().getAddresses().equals(List.of(podIp));
  }

  /** Publishes this replica's address in place of its predecessor's. */
  public void publish(String podIp) {
    EndpointSlice slice =
        new EndpointSliceBuilder()
            .withNewMetadata()
            .withName(config.serviceName())
            .withNamespace(namespace)
            .addToLabels("kubernetes.io/service-name", config.serviceName())
            .addToLabels("endpointslice.kubernetes.io/managed-by", "assay-operator")
            .endMetadata()
            .withAddressType(podIp.contains(":") ? "IPv6" : "IPv4")
            .addNewEndpoint()
            .withAddresses(podIp)
            .withNewConditions()
            .withReady(true)
            .endConditions()
            .endEndpoint()
            .addNewPort()
            .withName(PORT_NAME)
            .withProtocol("TCP")
            .withPort(config.port())
            .endPort()
            .build();
    try {
      client.resource(slice).create();
    } catch (KubernetesClientException e) {
      if (!ApiErrors.alreadyExists(e)) {
        throw e;
      }
      client.resource(slice).update();
    }
  }
}
