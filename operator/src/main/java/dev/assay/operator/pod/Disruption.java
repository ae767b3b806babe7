package dev.assay.operator.pod;

import java.util.Map;

/**
 * Whether an autoscaler may evict a Pod to remove its node. Without a word, the Cluster Autoscaler
 * evicts no Pod whose owner it does not know, so that idle Pods would keep nodes for ever, and
 * Karpenter evicts each, so that runs would be lost. They are words to autoscalers alone: a drain
 * evicts all.
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
