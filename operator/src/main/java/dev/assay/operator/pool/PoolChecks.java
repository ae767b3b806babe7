package dev.assay.operator.pool;

import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerRefusedException;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Pods who they are: before they are offered, and again while they wait. An address may have
 * been reused, another leader may have given the Pod a job, and a node may be lost.
 */
final class PoolChecks {
  private static final Logger LOG = LoggerFactory.getLogger(PoolChecks.class);

  /** Between two checks of a Pod that is not idle, so that it is offered soon. */
  private static final Duration STARTING_INTERVAL = Duration.ofSeconds(1);

  /** Between two checks of an idle Pod, so that its connection is kept. */
  private static final Duration IDLE_INTERVAL = Duration.ofSeconds(20);

  private static final Duration MAX_START = Duration.ofMinutes(10);
  private static final int MAX_MISSED = 2;

  private final WarmPods warmPods;
  private final PoolPauses pauses;
  private final PoolHistory history;
  private final RunnerClient runners;
  private final ExecutorService threads;
  private final Clock clock;
  private final Map<String, Checked> checked = new ConcurrentHashMap<>();
  private final Set<String> inProgress = ConcurrentHashMap.newKeySet();

  /** Pods that were given a job by another leader, whose run may or may not be bound to them. */
  private final Set<String> withJob = ConcurrentHashMap.newKeySet();

  /** What the runner of a Pod answers. */
  sealed interface Answer {}

  /** It waits for a job. */
  record Idle(Hello hello) implements Answer {}

  /** It has a job. */
  record HasJob() implements Answer {}

  /** None, or that of another Pod. */
  record None() implements Answer {}

  /**
   * What is known of a Pod.
   *
   * @param seen when this process saw it first
   * @param last when it was asked last
   * @param wasIdle whether it has been idle
   * @param missed how many checks in a row it has failed since then
   */
  private record Checked(Instant seen, Instant last, boolean wasIdle, int missed) {
    Checked asked(Instant now) {
      return new Checked(seen, now, wasIdle, missed);
    }

    Checked idle() {
      return new Checked(seen, last, true, 0);
    }

    Checked notIdle() {
      return new Checked(seen, last, wasIdle, wasIdle ? missed + 1 : 0);
    }
  }

  PoolChecks(
      WarmPods warmPods,
      PoolPauses pauses,
      PoolHistory history,
      RunnerClient runners,
      ExecutorService threads,
      Clock clock) {
    this.warmPods = warmPods;
    this.pauses = pauses;
    this.history = history;
    this.runners = runners;
    this.threads = threads;
    this.clock = clock;
  }

  /** Checks a Pod on another thread, if it is due. */
  void check(WarmPod pod) {
    Instant now = clock.instant();
    Checked before =
        checked.computeIfAbsent(pod.uid(), unused -> new Checked(now, Instant.MIN, false, 0));
    boolean mayAnswer = before.wasIdle() || PodState.isReachable(pod.pod());
    if (!mayAnswer || !isDue(pod, before, now) || !inProgress.add(pod.uid())) {
      return;
    }
    checked.computeIfPresent(pod.uid(), (uid, known) -> known.asked(now));
    threads.execute(
        () -> {
          try {
            offerOrDrop(pod);
          } finally {
            inProgress.remove(pod.uid());
          }
        });
  }

  /** Why a Pod is of no use to its pool; empty if it is, or may become so. */
  Optional<String> failure(String uid) {
    Checked known = checked.get(uid);
    if (known == null) {
      return Optional.empty();
    }
    if (known.missed() >= MAX_MISSED) {
      return Optional.of("its runner does not answer any more");
    }
    // Counts from when this process saw it first: a new leader has offered none of its Pods yet.
    return !known.wasIdle() && !clock.instant().isBefore(known.seen().plus(MAX_START))
        ? Optional.of("it was not ready within " + MAX_START.toMinutes() + " minutes")
        : Optional.empty();
  }

  /** Forgets all Pods but those that exist. */
  void retainOnly(Set<String> uids) {
    checked.keySet().retainAll(uids);
    withJob.retainAll(uids);
  }

  /** Whether a Pod has said that it has a job, so that it will never wait for one again. */
  boolean hasJob(String uid) {
    return withJob.contains(uid);
  }

  /** Asks a Pod whether it has a job; blocks until it answers, for at most some seconds. */
  Answer ask(Pod pod) {
    if (!PodState.isReachable(pod)) {
      return new None();
    }
    String uid = pod.getMetadata().getUid();
    try {
      Hello hello = runners.hello(RunnerAddress.of(pod));
      if (!hello.podUid().equals(uid)) {
        return new None();
      }
      if (hello.isIdle()) {
        return new Idle(hello);
      }
      withJob.add(uid);
      return new HasJob();
    } catch (IOException | RunnerRefusedException e) {
      return new None();
    }
  }

  private boolean isDue(WarmPod pod, Checked before, Instant now) {
    Duration interval = warmPods.isIdle(pod.uid()) ? IDLE_INTERVAL : STARTING_INTERVAL;
    return !now.minus(interval).isBefore(before.last());
  }

  private void offerOrDrop(WarmPod pod) {
    if (ask(pod.pod()) instanceof Idle idle && isReady(pod.pod())) {
      warmPods.offer(pod, idle.hello());
      Checked before = checked.get(pod.uid());
      if (before != null && !before.wasIdle()) {
        pauses.succeeded(pod.key());
        history.idle(pod.key(), pod.pod().getMetadata().getName());
      }
      checked.computeIfPresent(pod.uid(), (uid, known) -> known.idle());
      return;
    }
    checked.computeIfPresent(pod.uid(), (uid, known) -> known.notIdle());
    if (warmPods.drop(pod.uid())) {
      LOG.info("Warm Pod {} no longer answers as one", pod.pod().getMetadata().getName());
    }
  }

  private boolean isReady(Pod pod) {
    try {
      return runners.isReady(RunnerAddress.of(pod));
    } catch (IOException | RunnerRefusedException e) {
      return false;
    }
  }
}
