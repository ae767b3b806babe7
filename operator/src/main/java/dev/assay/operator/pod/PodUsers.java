package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The user ids of a Pod's two containers.
 *
 * <p>The kernel limits descriptors in flight, pipe pages, inotify and epoll watches, pending
 * signals and keys per user, over all Pods of a node. A limit that one Pod exhausts is exhausted
 * for all Pods of the same user.
 *
 * @param supervisor user and group of the supervisor
 * @param worker user and group of the worker
 */
public record PodUsers(long supervisor, long worker) {
  /**
   * The users of Pods that write snapshots: the worker owns the files, and fsGroup is its group.
   */
  public static final PodUsers SNAPSHOT = new PodUsers(65531, 65532);

  /** Containers of others are not counted: their number has no limit. */
  private static final Set<String> CONTAINERS = Set.of(RunnerPod.SUPERVISOR, RunnerPod.WORKER);

  /** The user ids that the containers of a Pod run with; none once the Pod has ended. */
  public static Stream<Long> of(Pod pod) {
    if (pod.getStatus() != null && PodState.isTerminal(pod)) {
      return Stream.empty();
    }
    return pod.getSpec().getContainers().stream()
        .filter(container -> CONTAINERS.contains(container.getName()))
        .map(container -> container.getSecurityContext())
        .filter(Objects::nonNull)
        .map(context -> context.getRunAsUser())
        .filter(Objects::nonNull);
  }
}
