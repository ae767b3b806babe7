package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;

/** Ensures the deny-all policy of a namespace before the first runner Pod is created there. */
@FunctionalInterface
public interface NetworkPolicies {
  /**
   * Makes sure that the policy of a run namespace is in place.
   *
   * @throws KubernetesClientException where that is not possible; no Pod may be made then
   */
  void ensure(String namespace);
}
