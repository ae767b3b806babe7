package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import java.util.Optional;

/** Ensures the deny-all policy of a namespace before the first runner Pod is created there. */
@FunctionalInterface
public interface NetworkPolicies {
  /**
   * Ensures that the policy of a run namespace exists and is unchanged.
   *
   * @throws KubernetesClientException if that fails; no Pod may be created then
   */
  void ensure(String namespace);

  /** Whether the policies of a namespace are known as they are now. */
  default boolean areKnown(String namespace) {
    return true;
  }

  /**
   * How a policy of others lets run Pods of a namespace connect to the internet, in a sentence.
   *
   * @param labels of the Pods, that of their class among them
   */
  default Optional<String> openToInternet(String namespace, Map<String, String> labels) {
    return Optional.empty();
  }
}
