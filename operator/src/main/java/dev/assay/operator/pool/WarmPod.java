package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;

/**
 * A Pod that waits for its run, with its libraries imported.
 *
 * @param pod as it was when it became ready
 * @param key the pool that it belongs to
 * @param classUid the class that it was created for: another one of the same name may be equal to
 *     it
 * @param hash of the template that it was created from
 */
record WarmPod(Pod pod, PoolKey key, String classUid, String hash) {
  /** A Pod of the pool of a template. */
  static WarmPod of(PoolTemplate template, Pod pod) {
    return new WarmPod(pod, template.key(), template.classUid(), template.hash());
  }

  boolean isOf(PoolTemplate template) {
    return key.equals(template.key())
        && classUid.equals(template.classUid())
        && hash.equals(template.hash());
  }

  String uid() {
    return pod.getMetadata().getUid();
  }
}
