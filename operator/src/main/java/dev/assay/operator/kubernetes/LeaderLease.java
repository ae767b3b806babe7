package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Lease with which the replicas of the operator elect their leader. */
public final class LeaderLease {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderLease.class);
  private static final String HOLDER = "/spec/holderIdentity";

  private final KubernetesClient client;
  private final JsonPatcher patcher;
  private final Lease lease;
  private final String identity;

  /**
   * Creates a view of the Lease.
   *
   * @param identity the holder identity of this replica
   */
  public LeaderLease(KubernetesClient client, String namespace, String name, String identity) {
    this.client = client;
    this.patcher = new JsonPatcher(client);
    this.lease =
        new LeaseBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .endMetadata()
            .build();
    this.identity = identity;
  }

  /** Whether this replica holds the Lease; also true if the API server does not respond. */
  public boolean isHeldOrUnknown() {
    try {
      Lease found = client.resource(lease).get();
      return found != null
          && found.getSpec() != null
          && identity.equals(found.getSpec().getHolderIdentity());
    } catch (KubernetesClientException e) {
      return true;
    }
  }

  /**
   * Releases the Lease if this replica holds it, so that the next leader need not wait until it
   * expires. Must be the last step of a shutdown, because leader election would acquire the Lease
   * again.
   */
  public void release() {
    ArrayNode patch = new ObjectMapper().createArrayNode();
    patch.addObject().put("op", "test").put("path", HOLDER).put("value", identity);
    patch.addObject().put("op", "replace").put("path", HOLDER).put("value", "");
    try {
      patcher.patch(lease, null, patch);
    } catch (KubernetesClientException e) {
      if (!ApiErrors.invalid(e) && !ApiErrors.notFound(e)) {
        LOG.warn("The Lease could not be released and must expire: {}", ApiErrors.message(e));
      }
    }
  }
}
