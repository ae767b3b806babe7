package dev.assay.operator.pool;

import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.PoolPod.Claimed;
import dev.assay.operator.pool.PoolPod.Retiring;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes Pods of pools, on other threads. Its methods are repeated until the Pod is deleted. */
final class PoolRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(PoolRemoval.class);
  private static final Duration RETRY = Duration.ofSeconds(10);

  /** The same for a Pod that the cache did not show as it was. */
  private static final Duration RETRY_OF_CHANGED = Duration.ofSeconds(1);

  /**
   * How long another leader may take to bind a run to a Pod that it has given the job, or the API
   * server to handle a bind that had no answer, and the cache to show it. The API server works on a
   * request for a minute by default.
   */
  private static final Duration BIND_GRACE = Duration.ofMinutes(2);

  private final WarmPods warmPods;
  private final PoolRunners runners;
  private final RunnerPods pods;
  private final PodTasks tasks;
  private final Clock clock;

  PoolRemoval(
      WarmPods warmPods, PoolRunners runners, RunnerPods pods, PodTasks tasks, Clock clock) {
    this.warmPods = warmPods;
    this.runners = runners;
    this.pods = pods;
    this.tasks = tasks;
    this.clock = clock;
  }

  /**
   * Deletes a Pod that waits for a run, unless it has a job: that of another leader's run, which
   * the cache may not show yet. One that has just been given to a run is left to it.
   */
  void retire(Pod pod) {
    boolean unused = withdraw(pod);
  }

  /**
   * The same for a Pod that can serve no run.
   *
   * @return whether it was not to be deleted before
   */
  boolean deleteFailed(Pod pod, String cause) {
    boolean isFirst = withdraw(pod);
    if (isFirst) {
      leaves(pod, cause);
    }
    return isFirst;
  }

  /** Returns whether it was not to be deleted before. */
  private boolean withdraw(Pod pod) {
    WarmPods.Change change = update(pod, PoolPod::retiring);
    attempt(pod, change.after(), () -> deleteUnlessItHasJob(pod));
    return change.after() instanceof Retiring && !(change.before() instanceof Retiring);
  }

  /**
   * A leader that does not know that it was replaced may be about to give the Pod a job: it starts
   * none once it is retired. One that does not run yet cannot be retired, and has no job as long as
   * it does not change.
   */
  private void deleteUnlessItHasJob(Pod pod) {
    if (!PodState.isReachable(pod) && !PodState.isTerminal(pod)) {
      pods.deleteUnchanged(pod);
      retryAfter(RETRY_OF_CHANGED, pod, Retiring.class);
    } else if (runners.retire(pod)) {
      pods.delete(pod);
    } else {
      var unused = update(pod, PoolPod::claimed);
    }
  }

  /**
   * Deletes a Pod that was given a job but has no run, once none can be about to be bound to it any
   * more. A late start, of a process that was suspended, is refused.
   */
  void deleteUsed(Pod pod) {
    Instant graceEnd = clock.instant().plus(BIND_GRACE);
    PoolPod known = update(pod, used -> used.withoutRun(graceEnd)).after();
    attempt(pod, known, () -> deleteUsed(pod, known));
  }

  private void deleteUsed(Pod pod, PoolPod known) {
    if (runners.retireUsed(pod) || (known instanceof Claimed used && used.isStarted())) {
      leaves(pod, "no run is bound to it");
      pods.delete(pod);
    } else {
      // One that was started just now has a run, which the cache will show.
      Instant next = clock.instant().plus(BIND_GRACE);
      var unused = update(pod, used -> used.foundStarted(next));
    }
  }

  /** How many of these are to be deleted, and not gone yet. A lost node confirms nothing. */
  int leaving(Collection<Pod> warm) {
    Instant now = clock.instant();
    return Math.toIntExact(
        warm.stream()
            .filter(pod -> warmPods.isRetiring(pod.getMetadata().getUid()))
            .filter(pod -> !PodState.deletionOverdue(pod, now))
            .count());
  }

  private void attempt(Pod pod, PoolPod known, Runnable deletion) {
    if (known.isDeletedAt(clock.instant())) {
      tasks.start(
          pod,
          () -> {
            retryAfter(RETRY, pod, known.getClass());
            try {
              deletion.run();
            } catch (RuntimeException e) {
              LOG.warn(
                  "Warm Pod {} could not be deleted and will be again: {}",
                  pod.getMetadata().getName(),
                  e.toString());
            }
          });
    }
  }

  /** Unless the Pod was found in another state meanwhile, in which other times apply. */
  private void retryAfter(Duration pause, Pod pod, Class<? extends PoolPod> state) {
    Instant next = clock.instant().plus(pause);
    var unused = update(pod, known -> state.isInstance(known) ? known.attempted(next) : known);
  }

  private WarmPods.Change update(Pod pod, UnaryOperator<PoolPod> what) {
    return warmPods.update(pod.getMetadata().getUid(), what);
  }

  private static void leaves(Pod pod, String cause) {
    LOG.info("Warm Pod {} leaves its pool: {}", pod.getMetadata().getName(), cause);
  }
}
