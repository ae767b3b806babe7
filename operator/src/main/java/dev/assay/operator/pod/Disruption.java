package dev.assay.operator.pod;

import java.util.Map;

/**
 * Whether an autoscaler may evict a Pod to remove its node. Without the annotations, the Cluster
 * Autoscaler evicts no Pod that has local volumes or is owned by a custom resource, so that idle
 * Pods would keep their nodes, and Karpenter evicts each, so that runs would be lost. A drain
 * evicts all Pods in any case.
 */
public enum Disruption {
  /** Of a Pod that serves nobody yet, or whose work is done again later. */
  ALLOWED(true),

  /** Of a Pod with a run or a snapshot, which a second one could not continue. */
  FORBIDDEN(false);

  private final boolean allowed;

  Disruption(boolean allowed) {
    this.allowed = allowed;
  }

  /** The annotations that the Cluster Autoscaler and Karpenter read. */
  public Map<String, String> annotations() {
    return Map.of(
        "cluster-autoscaler.kubernetes.io/safe-to-evict", Boolean.toString(allowed),
        "karpenter.sh/do-not-disrupt", Boolean.toString(!allowed));
  }
}
