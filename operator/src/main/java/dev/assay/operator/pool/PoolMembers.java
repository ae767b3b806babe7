package dev.assay.operator.pool;

import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which cached Pods belong to a pool and have no run. */
final class PoolMembers {
  private PoolMembers() {}

  /** The Pods of all pools that no run has adopted, and that have not ended. */
  static List<Pod> unused(Collection<Pod> pods) {
    return pods.stream()
        .filter(pod -> label(pod, Labels.WARM_POOL) != null)
        .filter(pod -> label(pod, Labels.RUN_UID) == null)
        .filter(pod -> !PodState.isEnding(pod))
        .toList();
  }

  /** Whether a Pod is of the namespace and class of a pool. */
  static boolean isOf(PoolKey key, Pod pod) {
    return pod.getMetadata().getNamespace().equals(key.namespace())
        && key.className().equals(label(pod, Labels.RUN_CLASS));
  }

  /** The hash of the template that a Pod was created from. */
  static String hash(Pod pod) {
    String hash = label(pod, Labels.WARM_POOL);
    return hash == null ? "" : hash;
  }

  private static @Nullable String label(Pod pod, String name) {
    return pod.getMetadata().getLabels() == null ? null : pod.getMetadata().getLabels().get(name);
  }
}
