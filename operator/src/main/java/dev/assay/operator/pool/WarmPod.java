package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;

/**
 * A Pod of a pool.
 *
 * @param pod as it was when it was checked
 * @param template that it was created from
 */
record WarmPod(PoolTemplate template, Pod pod) {
  PoolKey key() {
    return template.key();
  }

  String uid() {
    return pod.getMetadata().getUid();
  }
}
