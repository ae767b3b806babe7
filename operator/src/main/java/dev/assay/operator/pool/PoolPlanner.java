package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** How many Pods a pool starts, and which ones it has too many, from what it has. */
final class PoolPlanner {
  /** Starts at once: more would take the processor from each other, and from runs. */
  static final int MAX_STARTING = 4;

  private static final Comparator<Pod> OLDEST_FIRST =
      Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp());

  private PoolPlanner() {}

  /** What a Pod of a pool is there for. */
  enum Role {
    /** It waits for a run. */
    IDLE,
    /** It is going to wait for one. */
    STARTING,
    /** It has a job, or is to be deleted. */
    USED
  }

  /** A Pod of a pool. */
  record Member(Pod pod, Role role) {}

  /**
   * What to do now.
   *
   * @param create how many Pods to create
   * @param retire idle ones to delete, the oldest first
   */
  record Plan(int create, List<Pod> retire) {}

  /**
   * Plans the next step of a pool.
   *
   * @param wanted how many are to be idle
   * @param unlisted how many were created and are not among the members yet
   */
  static Plan plan(int wanted, Collection<Member> members, int unlisted) {
    List<Pod> idle =
        members.stream()
            .filter(member -> member.role() == Role.IDLE)
            .map(Member::pod)
            .sorted(OLDEST_FIRST)
            .toList();
    long listed = members.stream().filter(member -> member.role() == Role.STARTING).count();
    int starting = Math.toIntExact(listed) + unlisted;
    int missing = Math.min(wanted - idle.size() - starting, MAX_STARTING - starting);
    int surplus = Math.max(0, idle.size() - wanted);
    return new Plan(Math.max(0, missing), idle.subList(0, surplus));
  }
}
