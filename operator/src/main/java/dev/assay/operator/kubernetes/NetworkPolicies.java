package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;

/** Shuts runner Pods in, before the first one of a namespace is made. */
@FunctionalInterface
public interface NetworkPolicies {
  /**
   * Makes sure that the policy of a run namespace is in place.
   *
   * @throws KubernetesClientException where that is not possible; no Pod may be made then
   */
  void ensure(String namespace);
}
