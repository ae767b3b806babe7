package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
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

  /** The user ids that the containers of a Pod run with. */
  public static Stream<Long> of(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .map(container -> container.getSecurityContext())
        .filter(Objects::nonNull)
        .map(context -> context.getRunAsUser())
        .filter(Objects::nonNull);
  }
}
