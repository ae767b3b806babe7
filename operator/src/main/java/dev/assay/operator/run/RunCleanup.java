package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.Deletions;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What happens behind a run that has ended: its Pod goes, and later the run and its output. */
final class RunCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(RunCleanup.class);

  /** A runner that was told that all is stored ends by itself, long before this. */
  private static final Duration RUNNER_EXIT = Duration.ofSeconds(10);

  private static final Duration NEXT_LOOK_AT_DELETION = Duration.ofSeconds(15);

  private static final Duration STORE_RETRY = Duration.ofMinutes(1);

  private final Deletions deletions;
  private final RunnerPods pods;
  private final OutputStore outputs;
  private final Duration defaultTtl;
  private final Clock clock;

  /** UIDs of the expired runs whose output could not be removed; each was told once. */
  private final Set<String> notRemoved = ConcurrentHashMap.newKeySet();

  /**
   * A cleaner.
   *
   * @param defaultTtl how long a run is kept that names no time of its own
   */
  RunCleanup(
      KubernetesClient client,
      RunnerPods pods,
      OutputStore outputs,
      Duration defaultTtl,
      Clock clock) {
    this.deletions = new Deletions(client);
    this.pods = pods;
    this.outputs = outputs;
    this.defaultTtl = defaultTtl;
    this.clock = clock;
  }

  /**
   * Does what is due now.
   *
   * @param run ended
   * @param pod of the run, if it is there
   * @param podRetention how long the class keeps Pods of ended runs
   * @return when to look again; empty where the run was deleted
   */
  Optional<Duration> clean(AnalyticsRun run, Optional<Pod> pod, Duration podRetention) {
    Instant now = clock.instant();
    Instant expiry = expiry(run);
    if (!now.isBefore(expiry)) {
      return delete(run);
    }
    Duration next = Duration.between(now, expiry);
    Optional<Duration> podNext = pod.flatMap(found -> cleanPod(run, found, podRetention, now));
    return Optional.of(podNext.filter(left -> left.compareTo(next) < 0).orElse(next).plusMillis(1));
  }

  private Optional<Duration> cleanPod(
      AnalyticsRun run, Pod pod, Duration podRetention, Instant now) {
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      if (PodState.deletionOverdue(pod, now)) {
        pods.forget(pod);
        return Optional.empty();
      }
      return Optional.of(NEXT_LOOK_AT_DELETION);
    }
    Instant due = podDeletion(pod, finished(run), podRetention);
    if (now.isBefore(due)) {
      return Optional.of(Duration.between(now, due));
    }
    pods.delete(pod);
    return Optional.of(NEXT_LOOK_AT_DELETION);
  }

  /** A Pod that does not end by itself is not kept, whatever its class says. */
  static Instant podDeletion(Pod pod, Instant runFinished, Duration podRetention) {
    return runFinished.plus(PodState.isTerminal(pod) ? podRetention : RUNNER_EXIT);
  }

  /** A run stays while its output cannot be removed, so that the output is not forgotten. */
  private Optional<Duration> delete(AnalyticsRun run) {
    String uid = run.getMetadata().getUid();
    try {
      outputs.delete(run.getMetadata().getNamespace(), uid);
    } catch (IOException e) {
      if (notRemoved.add(uid)) {
        LOG.warn(
            "Run {} has expired and is kept, as its output cannot be removed from {}: {}",
            run.getMetadata().getName(),
            outputs.location(),
            StoreOutage.reason(e));
      }
      return Optional.of(STORE_RETRY);
    }
    notRemoved.remove(uid);
    deletions.delete(run, null);
    return Optional.empty();
  }

  private Instant expiry(AnalyticsRun run) {
    Integer ttl = run.getSpec().ttlSecondsAfterFinished();
    return finished(run).plus(ttl == null ? defaultTtl : Duration.ofSeconds(ttl));
  }

  private static Instant finished(AnalyticsRun run) {
    var timings = RunTransitions.statusOf(run).timings();
    return timings == null || timings.finished() == null
        ? RunTransitions.created(run)
        : Instant.parse(timings.finished());
  }
}
