package dev.assay.operator.run.cleanup;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.Deletions;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.AwaitedAnswers;
import dev.assay.operator.run.results.StoreOutage;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cleans up after a run that has ended: deletes its Pods, and later the run and its output. */
public final class RunCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(RunCleanup.class);

  /**
   * A runner whose last event was acknowledged exits by itself, long before this. The
   * acknowledgement may have waited for the answers of others.
   */
  private static final Duration RUNNER_EXIT = Duration.ofSeconds(10).plus(AwaitedAnswers.MAX_LIMIT);

  private static final Duration NEXT_LOOK_AT_DELETION = Duration.ofSeconds(15);

  /** Thousands of runs may have expired when an operator starts to lead; none is urgent. */
  private static final int MAX_DELETIONS = 16;

  private static final Duration DELETION_RETRY = Duration.ofSeconds(5);

  private static final Duration STORE_RETRY = Duration.ofMinutes(1);

  private final Deletions deletions;
  private final RunnerPods pods;
  private final RunOutputs outputs;
  private final Duration defaultTtl;
  private final Clock clock;
  private final Semaphore deleting;

  /** UIDs of the expired runs whose output could not be removed; each is logged once. */
  private final Set<String> notRemoved = ConcurrentHashMap.newKeySet();

  /**
   * Creates a cleanup.
   *
   * @param defaultTtl how long a run is kept if its spec sets no time to live
   */
  public RunCleanup(
      KubernetesClient client,
      RunnerPods pods,
      RunOutputs outputs,
      Duration defaultTtl,
      Clock clock) {
    this(client, pods, outputs, defaultTtl, MAX_DELETIONS, clock);
  }

  RunCleanup(
      KubernetesClient client,
      RunnerPods pods,
      RunOutputs outputs,
      Duration defaultTtl,
      int maxDeletions,
      Clock clock) {
    this.deletions = new Deletions(client);
    this.pods = pods;
    this.outputs = outputs;
    this.defaultTtl = defaultTtl;
    this.deleting = new Semaphore(maxDeletions);
    this.clock = clock;
  }

  /**
   * Does what is due now.
   *
   * @param run a run that has ended
   * @param pod the run's Pod, if it exists
   * @param superseded a Pod that was created for the run, which used another, if it exists; no
   *     class keeps it
   * @param podRetention how long the class keeps Pods of ended runs
   * @return when to check again; empty if the run was deleted
   */
  public Optional<Duration> clean(
      AnalyticsRun run, Optional<Pod> pod, Optional<Pod> superseded, Duration podRetention) {
    Instant now = clock.instant();
    Instant expiry = expiry(run);
    if (!now.isBefore(expiry)) {
      return expire(run);
    }
    Optional<Duration> supersededNext = superseded.flatMap(found -> cleanPod(found, now, now));
    Optional<Duration> podNext =
        pod.flatMap(
            found ->
                cleanPod(found, podDeletion(found, RunState.finished(run), podRetention), now));
    Duration next =
        Stream.of(Optional.of(Duration.between(now, expiry)), supersededNext, podNext)
            .flatMap(Optional::stream)
            .min(Comparator.naturalOrder())
            .orElseThrow();
    return Optional.of(next.plusMillis(1));
  }

  /**
   * Deletes a Pod whose run is bound to a warm one, so that it takes no room. Until the code runs,
   * only one that finds no node: the warm one may be given back, and another operator process may
   * have bound the run to its own since, whatever a cache shows. A Pod that cannot be deleted now
   * stays until the next change or the end of the run, which must not wait for that.
   *
   * @param run a run that has not ended
   * @param pod the Pod that was created for the run, if it exists
   */
  public void removeSuperseded(AnalyticsRun run, Optional<Pod> pod) {
    try {
      if (RunState.isRunning(run)) {
        pod.ifPresent(pods::delete);
      } else {
        pod.filter(PodState::isUnschedulable).ifPresent(pods::deleteUnchanged);
      }
    } catch (KubernetesClientException e) {
      LOG.warn(
          "The Pod that was created for run {}, which has a warm one, could not be deleted: {}",
          run.getMetadata().getName(),
          ApiErrors.message(e));
    }
  }

  /**
   * Deletes a Pod once that is due, and by force if its node does not confirm it.
   *
   * @return when to check again
   */
  private Optional<Duration> cleanPod(Pod pod, Instant due, Instant now) {
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      if (PodState.deletionOverdue(pod, now)) {
        pods.forceDelete(pod);
        return Optional.empty();
      }
      return Optional.of(NEXT_LOOK_AT_DELETION);
    }
    if (now.isBefore(due)) {
      return Optional.of(Duration.between(now, due));
    }
    pods.delete(pod);
    return Optional.of(NEXT_LOOK_AT_DELETION);
  }

  /** A Pod that does not exit by itself is not retained, whatever its class says. */
  static Instant podDeletion(Pod pod, Instant runFinished, Duration podRetention) {
    return runFinished.plus(PodState.isTerminal(pod) ? podRetention : RUNNER_EXIT);
  }

  /**
   * Deletes a run, which is kept while its output cannot be removed, so that no output is orphaned.
   *
   * @return when to try again; empty if it was deleted
   */
  Optional<Duration> delete(AnalyticsRun run) {
    String uid = run.getMetadata().getUid();
    try {
      outputs.delete(run.getMetadata().getNamespace(), uid);
    } catch (IOException e) {
      if (notRemoved.add(uid)) {
        LOG.warn(
            "Run {} has expired but is kept because its output cannot be removed from {}: {}",
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

  /** Deletes a run, unless enough others are being deleted, so that requests of runs come first. */
  private Optional<Duration> expire(AnalyticsRun run) {
    if (!deleting.tryAcquire()) {
      return Optional.of(
          DELETION_RETRY.plusMillis(
              ThreadLocalRandom.current().nextLong(5 * DELETION_RETRY.toMillis())));
    }
    try {
      return delete(run);
    } finally {
      deleting.release();
    }
  }

  private Instant expiry(AnalyticsRun run) {
    Integer ttl = run.getSpec().ttlSecondsAfterFinished();
    return RunState.finished(run).plus(ttl == null ? defaultTtl : Duration.ofSeconds(ttl));
  }
}
