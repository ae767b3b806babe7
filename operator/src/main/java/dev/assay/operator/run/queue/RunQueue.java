package dev.assay.operator.run.queue;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.PodQueue;
import dev.assay.operator.run.cluster.RunResources;
import java.time.Duration;
import java.util.Optional;

/**
 * The runs that wait for their turn to request a Pod: behind others of their class whose Pods wait
 * for a node, and for room in the quotas of their namespaces.
 */
public final class RunQueue {
  private final PodQueue queue;
  private final NodeSlots nodes;
  private final RunResources resources;

  public RunQueue(PodQueue queue, NodeSlots nodes, RunResources resources) {
    this.queue = queue;
    this.nodes = nodes;
    this.resources = resources;
  }

  /** Restores the queue of a namespace from the statuses of its runs, once. */
  public void restore(String namespace) {
    queue.rebuild(
        namespace,
        () ->
            resources.waitingForRoom(namespace).stream()
                .map(run -> WaitingRun.of(run, resources))
                .toList());
  }

  public boolean contains(AnalyticsRun run) {
    return waitsForNode(run) || queue.contains(namespace(run), uid(run));
  }

  /** Whether it waits for the Pods of others of its class to be placed. */
  public boolean waitsForNode(AnalyticsRun run) {
    return nodes.isWaiting(run);
  }

  /** Whether its Pod must be deleted, so that callers take turns where no node has room. */
  public boolean yields(AnalyticsRun run) {
    return nodes.yields(run);
  }

  /** Whether it waits for the Pods of others, and is too new for a status about it. */
  public boolean waitsBriefly(AnalyticsRun run) {
    return waitsForNode(run) && nodes.isNew(run);
  }

  /**
   * Whether a run may request its Pod now. One that waits for room in the quota does not count as
   * one whose Pod waits for a node: the callers take turns in the queue of the quota.
   *
   * @return empty if it may; otherwise it is in one of the queues, and this is when to check again
   */
  public Optional<Duration> turn(AnalyticsRun run, RunClass runClass) {
    if (queue.contains(namespace(run), uid(run))) {
      Optional<Duration> wait = queue.turn(namespace(run), WaitingRun.of(run, resources));
      if (wait.isPresent()) {
        return wait;
      }
    }
    if (!nodes.take(run, runClass)) {
      // It must not block runs of other classes in the queue of the quota.
      queue.leave(namespace(run), uid(run));
      return Optional.of(nodes.look(run));
    }
    Optional<Duration> wait = queue.turn(namespace(run), WaitingRun.of(run, resources));
    wait.ifPresent(unused -> nodes.leave(run));
    return wait;
  }

  /**
   * The quota was exceeded.
   *
   * @param refusal the API server's message
   * @return when to check again
   */
  public Duration refused(AnalyticsRun run, String refusal) {
    nodes.leave(run);
    return queue.refused(namespace(run), WaitingRun.of(run, resources), refusal);
  }

  public boolean isFirst(AnalyticsRun run) {
    return queue.isFirst(namespace(run), uid(run));
  }

  /** The API server's latest refusal; empty if there was none yet. */
  public String lastRefusal(AnalyticsRun run) {
    return queue.lastRefusal(namespace(run), uid(run));
  }

  /** Its Pod is requested: it counts as one that waits for a node until the cache has it. */
  public void requested(AnalyticsRun run) {
    queue.leave(namespace(run), uid(run));
  }

  /** The run has its Pod, or does not wait for its turn any more. */
  public void leave(AnalyticsRun run) {
    nodes.leave(run);
    queue.leave(namespace(run), uid(run));
  }

  private static String namespace(AnalyticsRun run) {
    return run.getMetadata().getNamespace();
  }

  private static String uid(AnalyticsRun run) {
    return run.getMetadata().getUid();
  }
}
