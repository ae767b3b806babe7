package dev.assay.operator.pool;

import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes Pods of pools, on other threads. Its methods are repeated until the Pod is deleted. */
final class PoolRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(PoolRemoval.class);
  private static final Duration RETRY = Duration.ofSeconds(10);

  /** The same for a Pod that the cache did not show as it was. */
  private static final Duration RETRY_OF_CHANGED = Duration.ofSeconds(1);

  /** Deletions of a namespace at once; the others are repeated in the next round. */
  private static final int MAX_AT_ONCE = 16;

  /**
   * How long another leader may take to bind a run to a Pod that it has given the job, or the API
   * server to handle a bind that had no answer, and the cache to show it. The API server works on a
   * request for a minute by default.
   */
  private static final Duration BIND_GRACE = Duration.ofMinutes(2);

  private final WarmPods warmPods;
  private final PoolChecks checks;
  private final RunnerPods pods;
  private final ExecutorService threads;
  private final Clock clock;
  private final NamespaceSlots slots = new NamespaceSlots(MAX_AT_ONCE);
  private final Map<String, Instant> nextAttempts = new ConcurrentHashMap<>();
  private final Map<String, Instant> usedSince = new ConcurrentHashMap<>();

  /** Those that were found started at the end of the grace, which then began anew, once. */
  private final Set<String> started = ConcurrentHashMap.newKeySet();

  private final Set<String> reported = ConcurrentHashMap.newKeySet();

  PoolRemoval(
      WarmPods warmPods, PoolChecks checks, RunnerPods pods, ExecutorService threads, Clock clock) {
    this.warmPods = warmPods;
    this.checks = checks;
    this.pods = pods;
    this.threads = threads;
    this.clock = clock;
  }

  /** Deletes a Pod that waits for a run, unless it has a job: that of another leader's run. */
  void retire(Pod pod) {
    if (!checks.hasJob(uid(pod)) && warmPods.withdraw(uid(pod))) {
      execute(pod, () -> deleteUnlessItHasJob(pod));
    }
  }

  /**
   * Deletes a Pod that can serve no run, unless it has a job: the cache may not show its run yet.
   * One that has just been given to a run is left to it.
   *
   * @return whether this is the first call for the Pod
   */
  boolean deleteFailed(Pod pod, String cause) {
    if (!warmPods.withdraw(uid(pod))) {
      return false;
    }
    boolean first = isFirst(pod, cause);
    execute(pod, () -> deleteUnlessItHasJob(pod));
    return first;
  }

  /**
   * A leader that does not know that it was replaced may be about to give the Pod a job: it starts
   * none once it is retired. One that does not run yet cannot be retired, and has no job as long as
   * it does not change.
   */
  private void deleteUnlessItHasJob(Pod pod) {
    if (!PodState.isReachable(pod) && !PodState.isTerminal(pod)) {
      pods.deleteUnchanged(pod);
      nextAttempts.put(uid(pod), clock.instant().plus(RETRY_OF_CHANGED));
    } else if (checks.retire(pod)) {
      pods.delete(pod);
    }
  }

  /**
   * Deletes a Pod that was given a job but has no run, once none can be about to be bound to it any
   * more. A late start, of a process that was suspended, is refused.
   */
  void deleteUsed(Pod pod) {
    Instant since = usedSince.computeIfAbsent(uid(pod), unused -> clock.instant());
    if (!clock.instant().isBefore(since.plus(BIND_GRACE))) {
      boolean unused = isFirst(pod, "no run is bound to it");
      execute(
          pod,
          () -> {
            // One that was started just now has a run, which the cache will show.
            if (checks.retireUsed(pod) || !started.add(uid(pod))) {
              pods.delete(pod);
            } else {
              usedSince.put(uid(pod), clock.instant());
            }
          });
    }
  }

  /**
   * Forgets Pods.
   *
   * @param existing the UIDs of all Pods that exist
   * @param unused the UIDs of those without a run: for others the grace begins anew
   */
  void retainOnly(Set<String> existing, Set<String> unused) {
    nextAttempts.keySet().retainAll(existing);
    reported.retainAll(existing);
    usedSince.keySet().retainAll(unused);
    started.retainAll(unused);
  }

  private boolean isFirst(Pod pod, String cause) {
    boolean first = reported.add(uid(pod));
    if (first) {
      LOG.info("Warm Pod {} leaves its pool: {}", pod.getMetadata().getName(), cause);
    }
    return first;
  }

  private void execute(Pod pod, Runnable deletion) {
    Instant now = clock.instant();
    if (now.isBefore(nextAttempts.getOrDefault(uid(pod), Instant.MIN))) {
      return;
    }
    String namespace = pod.getMetadata().getNamespace();
    if (!slots.tryAcquire(namespace)) {
      return;
    }
    nextAttempts.put(uid(pod), now.plus(RETRY));
    threads.execute(
        () -> {
          try {
            deletion.run();
          } catch (RuntimeException e) {
            LOG.warn(
                "Warm Pod {} could not be deleted and will be again: {}",
                pod.getMetadata().getName(),
                e.toString());
          } finally {
            slots.release(namespace);
          }
        });
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }
}
