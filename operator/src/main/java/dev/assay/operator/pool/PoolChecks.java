package dev.assay.operator.pool;

import dev.assay.operator.kubernetes.RunnerPods;
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
  private static final Duration INTERVAL = Duration.ofSeconds(20);

  private final WarmPods warmPods;
  private final RunnerClient runners;
  private final RunnerPods pods;
  private final ExecutorService threads;
  private final Clock clock;
  private final Map<String, Instant> lastCheck = new ConcurrentHashMap<>();
  private final Set<String> inProgress = ConcurrentHashMap.newKeySet();

  /** Pods that were given a job by another leader, whose run may or may not be bound to them. */
  private final Set<String> withJob = ConcurrentHashMap.newKeySet();

  PoolChecks(
      WarmPods warmPods,
      RunnerClient runners,
      RunnerPods pods,
      ExecutorService threads,
      Clock clock) {
    this.warmPods = warmPods;
    this.runners = runners;
    this.pods = pods;
    this.threads = threads;
    this.clock = clock;
  }

  /** Checks a Pod on another thread, if it is due and reachable. */
  void check(WarmPod pod) {
    if (!PodState.isReachable(pod.pod())
        || hasJob(pod.uid())
        || !isDue(pod)
        || !inProgress.add(pod.uid())) {
      return;
    }
    threads.execute(
        () -> {
          try {
            offerOrDrop(pod);
          } finally {
            inProgress.remove(pod.uid());
          }
        });
  }

  /**
   * Deletes a Pod that no run of this process has, on another thread, unless it says that it has a
   * job: of a run that another leader has given to it.
   */
  void deleteIfUnused(Pod pod) {
    String uid = pod.getMetadata().getUid();
    if (!inProgress.add(uid)) {
      return;
    }
    threads.execute(
        () -> {
          try {
            if (!PodState.isReachable(pod) || isIdle(pod)) {
              pods.delete(pod);
            }
          } finally {
            inProgress.remove(uid);
          }
        });
  }

  /** Forgets all Pods but those that exist. */
  void keepOnly(Set<String> uids) {
    lastCheck.keySet().retainAll(uids);
    withJob.retainAll(uids);
  }

  /** Whether a Pod has said that it has a job, so that it will never wait for one again. */
  boolean hasJob(String uid) {
    return withJob.contains(uid);
  }

  private boolean isDue(WarmPod pod) {
    Instant last = lastCheck.get(pod.uid());
    return last == null
        || !warmPods.isIdle(pod.key(), pod.uid())
        || !clock.instant().isBefore(last.plus(INTERVAL));
  }

  private void offerOrDrop(WarmPod pod) {
    lastCheck.put(pod.uid(), clock.instant());
    if (isIdle(pod.pod()) && isReady(pod.pod())) {
      warmPods.offer(pod);
    } else if (warmPods.drop(pod.key(), pod.uid())) {
      LOG.info("Warm Pod {} no longer answers as one", pod.pod().getMetadata().getName());
    }
  }

  private boolean isIdle(Pod pod) {
    String uid = pod.getMetadata().getUid();
    try {
      Hello hello = runners.hello(RunnerAddress.of(pod));
      if (!hello.podUid().equals(uid)) {
        return false;
      }
      if (!"Idle".equals(hello.state())) {
        withJob.add(uid);
      }
      return "Idle".equals(hello.state());
    } catch (IOException | RunnerRefusedException e) {
      return false;
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
