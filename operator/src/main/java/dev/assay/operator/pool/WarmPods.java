package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The idle Pods of all pools, in memory. Each is taken once, and never offered again: a Pod that
 * was given a job is used up.
 */
public final class WarmPods {
  private final Map<PoolKey, Deque<WarmPod>> idle = new HashMap<>();
  private final Set<String> taken = new HashSet<>();

  /**
   * Takes a Pod for a run.
   *
   * @param template of the pool, as its class and the signing key are now
   * @return the one that waits longest; empty if none waits
   */
  public synchronized Optional<Pod> take(PoolTemplate template) {
    Iterator<WarmPod> waiting = idle.getOrDefault(template.key(), new ArrayDeque<>()).iterator();
    while (waiting.hasNext()) {
      WarmPod next = waiting.next();
      if (next.hash().equals(template.hash())) {
        waiting.remove();
        taken.add(next.uid());
        return Optional.of(next.pod());
      }
    }
    return Optional.empty();
  }

  /** Adds a Pod that has become ready, unless it was taken already. */
  synchronized void offer(WarmPod pod) {
    if (!taken.contains(pod.uid()) && !isIdle(pod.key(), pod.uid())) {
      idle.computeIfAbsent(pod.key(), key -> new ArrayDeque<>()).add(pod);
    }
  }

  /** Whether a Pod waits for a run. */
  synchronized boolean isIdle(PoolKey key, String uid) {
    return idle.getOrDefault(key, new ArrayDeque<>()).stream()
        .anyMatch(pod -> pod.uid().equals(uid));
  }

  /** Whether this process has given a Pod to a run. */
  synchronized boolean isTaken(String uid) {
    return taken.contains(uid);
  }

  /**
   * Removes an idle Pod, which is not taken from then on.
   *
   * @return whether it was idle; false if it was taken meanwhile
   */
  synchronized boolean drop(PoolKey key, String uid) {
    return idle.getOrDefault(key, new ArrayDeque<>()).removeIf(pod -> pod.uid().equals(uid));
  }

  /**
   * Withdraws a Pod that is to be deleted.
   *
   * @return whether no run has it, and none will get it
   */
  synchronized boolean retire(String uid) {
    if (taken.contains(uid)) {
      return false;
    }
    idle.values().forEach(pods -> pods.removeIf(pod -> pod.uid().equals(uid)));
    return true;
  }

  /** Forgets all Pods but those that exist. */
  synchronized void keepOnly(Set<String> uids) {
    taken.retainAll(uids);
    idle.values().forEach(pods -> pods.removeIf(pod -> !uids.contains(pod.uid())));
  }
}
