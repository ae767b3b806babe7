package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import java.util.Map;

/**
 * The NetworkPolicy of a run namespace: denies runner Pods all egress, and allows ingress from the
 * operator's Pods only.
 */
public final class RunnerNetworkPolicy {
  public static final String NAME = "assay-runner-pods";

  private RunnerNetworkPolicy() {}

  public static NetworkPolicy build(
      String namespace, String operatorNamespace, Map<String, String> operatorPodLabels) {
    return new NetworkPolicyBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(namespace)
        .withLabels(Labels.MANAGED)
        .endMetadata()
        .withNewSpec()
        .withNewPodSelector()
        .withMatchLabels(Map.of(Labels.RUNNER_POD, "true"))
        .endPodSelector()
        .withPolicyTypes("Ingress", "Egress")
        .addNewIngress()
        .addNewFrom()
        .withNewNamespaceSelector()
        .withMatchLabels(Map.of("kubernetes.io/metadata.name", operatorNamespace))
        .endNamespaceSelector()
        .withNewPodSelector()
        .withMatchLabels(operatorPodLabels)
        .endPodSelector()
        .endFrom()
        .addNewPort()
        .withProtocol("TCP")
        .withNewPort(RunnerPod.PORT_NAME)
        .endPort()
        .endIngress()
        .endSpec()
        .build();
  }
}
