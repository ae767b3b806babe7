package dev.assay.operator.kubernetes;

import dev.assay.operator.pod.PodUsers;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BinaryOperator;

/**
 * Which Pod has each user id: the oldest one where several do. Two operators that both consider
 * themselves the leader can cause that, because neither sees the other's Pods at once.
 */
public final class UserIdHolders {
  private static final Comparator<Pod> BY_AGE =
      Comparator.<Pod, String>comparing(pod -> pod.getMetadata().getCreationTimestamp())
          .thenComparing(pod -> pod.getMetadata().getUid());

  private final Map<Long, Pod> oldest = new HashMap<>();

  private UserIdHolders() {}

  /**
   * Those of a moment.
   *
   * @param live all cached run Pods of all run namespaces
   */
  public static UserIdHolders of(Collection<Pod> live) {
    UserIdHolders holders = new UserIdHolders();
    for (Pod pod : live) {
      PodUsers.of(pod).forEach(id -> holders.oldest.merge(id, pod, BinaryOperator.minBy(BY_AGE)));
    }
    return holders;
  }

  /** Whether an older Pod has a user id of this one. */
  public boolean haveOlderThan(Pod pod) {
    return PodUsers.of(pod)
        .map(oldest::get)
        .anyMatch(holder -> holder != null && BY_AGE.compare(holder, pod) < 0);
  }
}
