package dev.assay.operator.pool;

import static java.util.stream.Collectors.toSet;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What caches show in one round.
 *
 * @param classes all of them
 * @param pods of runs and of pools
 * @param warm those that were started before their runs were known
 * @param members those of these that have no run and are not being deleted
 */
record PoolView(
    Collection<RunClass> classes, Collection<Pod> pods, List<Pod> warm, List<Pod> members) {
  /**
   * A look at the caches.
   *
   * @param podsInUse the UIDs of Pods that have a run, which their labels may not show yet
   */
  static PoolView of(PoolResources resources, Supplier<Set<String>> podsInUse) {
    Collection<RunClass> classes = resources.runClasses();
    Collection<Pod> pods = resources.pods();
    List<Pod> warm = pods.stream().filter(PodState::isWarm).toList();
    Set<String> used = new HashSet<>(podsInUse.get());
    used.addAll(resources.bound(warm));
    List<Pod> members =
        warm.stream()
            .filter(pod -> !PodState.isAdopted(pod))
            .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
            .filter(pod -> !used.contains(pod.getMetadata().getUid()))
            .toList();
    return new PoolView(classes, pods, warm, members);
  }

  /**
   * What Pods were created for: a class in a namespace. Pods of a deleted class of the same name
   * are of another.
   */
  record Owner(String namespace, String classUid) {
    static Owner of(Pod pod) {
      return new Owner(
          pod.getMetadata().getNamespace(),
          pod.getMetadata().getOwnerReferences().stream()
              .filter(owner -> Boolean.TRUE.equals(owner.getController()))
              .map(OwnerReference::getUid)
              .findFirst()
              .orElse(""));
    }
  }

  static Set<String> uids(Collection<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getUid()).collect(toSet());
  }
}
