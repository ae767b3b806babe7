package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;

/**
 * A Pod that waits for its run, with its libraries imported.
 *
 * @param pod as it was when it became ready
 * @param key the pool that it belongs to
 * @param hash of the template that it was created from
 */
public record WarmPod(Pod pod, PoolKey key, String hash) {
  String uid() {
    return pod.getMetadata().getUid();
  }
}
