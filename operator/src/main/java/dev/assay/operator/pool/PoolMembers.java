package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which cached Pods belong to a pool and have no run. */
final class PoolMembers {
  private PoolMembers() {}

  /**
   * The Pods of all pools that have no run and are not being deleted.
   *
   * @param warmPods all warm ones
   * @param used the UIDs of Pods that have a run, which their labels may not show yet
   */
  static List<Pod> withoutRun(Collection<Pod> warmPods, Set<String> used) {
    return warmPods.stream()
        .filter(pod -> !PodState.isAdopted(pod))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> !used.contains(pod.getMetadata().getUid()))
        .toList();
  }

  /**
   * Those that were created for a class in a namespace. Pods of a deleted class of the same name
   * were not.
   */
  static List<Pod> of(RunClass runClass, String namespace, Collection<Pod> pods) {
    return pods.stream().filter(pod -> isOf(runClass, namespace, pod)).toList();
  }

  private static boolean isOf(RunClass runClass, String namespace, Pod pod) {
    return pod.getMetadata().getNamespace().equals(namespace)
        && pod.getMetadata().getOwnerReferences().stream()
            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
            .anyMatch(owner -> owner.getUid().equals(runClass.getMetadata().getUid()));
  }

  /** The hash of the template that a Pod was created from. */
  static String hash(Pod pod) {
    return pod.getMetadata().getLabels().getOrDefault(Labels.WARM_POOL, "");
  }

  /** Why a Pod that waits for a run can serve none; empty if it can. */
  static Optional<String> failure(Pod pod) {
    return PodState.isTerminal(pod) || PodState.workerEnded(pod)
        ? Optional.of(PodState.terminationReason(pod))
        : Optional.empty();
  }
}
