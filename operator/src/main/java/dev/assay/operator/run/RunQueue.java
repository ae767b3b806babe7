package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.PodQueue;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** The runs in the queue for room in the quotas of their namespaces. */
final class RunQueue {
  private final PodQueue queue;
  private final RunResources resources;

  RunQueue(PodQueue queue, RunResources resources) {
    this.queue = queue;
    this.resources = resources;
  }

  /** Restores the queue of a namespace from the statuses of its runs, once. */
  void restore(String namespace) {
    queue.rebuild(
        namespace,
        () ->
            resources.waitingForRoom(namespace).stream()
                .map(run -> waiting(run, resources))
                .toList());
  }

  boolean contains(AnalyticsRun run) {
    return queue.contains(namespace(run), uid(run));
  }

  /**
   * Whether a run may request its Pod now.
   *
   * @return empty if it may; otherwise it is in the queue, and this is when to check again
   */
  Optional<Duration> turn(AnalyticsRun run) {
    return queue.turn(namespace(run), waiting(run, resources));
  }

  /**
   * The quota was exceeded.
   *
   * @param refusal the API server's message
   * @return when to check again
   */
  Duration refused(AnalyticsRun run, String refusal) {
    return queue.refused(namespace(run), waiting(run, resources), refusal);
  }

  boolean isFirst(AnalyticsRun run) {
    return queue.isFirst(namespace(run), uid(run));
  }

  /** The API server's latest refusal; empty if there was none yet. */
  String lastRefusal(AnalyticsRun run) {
    return queue.lastRefusal(namespace(run), uid(run));
  }

  /** The run does not wait for room in the quota any more. */
  void leave(AnalyticsRun run) {
    queue.leave(namespace(run), uid(run));
  }

  /** A run as it waits in a queue. */
  static PodQueue.Waiting waiting(AnalyticsRun run, RunResources resources) {
    return new PodQueue.Waiting(
        uid(run),
        caller(run),
        RunState.created(run),
        () -> resources.isActive(run),
        () -> resources.reconcileAgain(run));
  }

  /** Runs without a caller, such as those that were created with kubectl, count as one caller's. */
  private static String caller(AnalyticsRun run) {
    return "run/" + Objects.requireNonNullElse(run.getSpec().caller(), "");
  }

  private static String namespace(AnalyticsRun run) {
    return run.getMetadata().getNamespace();
  }

  private static String uid(AnalyticsRun run) {
    return run.getMetadata().getUid();
  }
}
