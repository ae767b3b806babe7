package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.SlotQueue;
import dev.assay.operator.kubernetes.SlotQueue.Slots;
import dev.assay.operator.kubernetes.SlotQueue.Use;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Keeps the order of runs whose Pods wait for a node. The scheduler retries a Pod less often the
 * more often it has found no node for it, so that Pods requested later overtake it. So the Pods of
 * a class are requested in batches: while the scheduler finds no node for one, no other is
 * requested. Where no Pod gets a node, all are: an autoscaler adds nodes for the Pods that it sees.
 */
final class NodeSlots {
  /** How many Pods of a class may always wait for the answer of the scheduler. */
  static final int MIN_WAITING = 5;

  /** Where no Pod gets a node for so long, order is no reason to hide Pods from an autoscaler. */
  static final Duration PLACED_WITHIN = Duration.ofSeconds(15);

  /** A Pod that waits for longer may need what no node has, and must not keep others waiting. */
  static final Duration COUNTS_FOR = Duration.ofSeconds(60);

  private final SlotQueue queue = new SlotQueue();

  private final RunResources resources;
  private final Clock clock;

  NodeSlots(RunResources resources, Clock clock) {
    this.resources = resources;
    this.clock = clock;
  }

  /** Whether the run waits until fewer Pods of its class wait for a node. */
  boolean isWaiting(AnalyticsRun run) {
    return queue.isWaiting(uid(run));
  }

  /**
   * Whether the run may request its Pod. If not, it is reconciled again when it may be its turn. If
   * so, it counts as one whose Pod waits for a node until {@link #leave}. A new leader needs to
   * restore nothing: what waited here is in the queue of the quota then, and comes from there.
   */
  boolean take(AnalyticsRun run, RunClass runClass) {
    Slots slots = new Slots(run.getMetadata().getNamespace(), runClass.getMetadata().getName());
    return queue.take(slots, RunQueue.waiting(run, resources), () -> use(slots));
  }

  private Use use(Slots slots) {
    Instant now = clock.instant();
    Collection<Pod> pods = resources.podsOfRuns(slots.namespace(), slots.className());
    List<Pod> waiting =
        pods.stream()
            .filter(pod -> !PodState.hasNode(pod) && !PodState.isEnding(pod))
            .filter(pod -> PodState.created(pod).isAfter(now.minus(COUNTS_FOR)))
            .toList();
    return new Use(
        limit(pods, waiting, now.minus(PLACED_WITHIN)),
        waiting.stream()
            .map(pod -> pod.getMetadata().getLabels().get(Labels.RUN_UID))
            .collect(Collectors.toSet()));
  }

  /** The more Pods have a node, the more may wait for one: an autoscaler sees those that wait. */
  private static int limit(Collection<Pod> pods, List<Pod> waiting, Instant since) {
    if (waiting.stream().anyMatch(PodState::isUnschedulable)) {
      boolean noneIsPlaced =
          waiting.stream().anyMatch(pod -> PodState.isUnschedulableSince(pod, since))
              && pods.stream().noneMatch(pod -> PodState.placedAfter(pod, since));
      return noneIsPlaced ? Integer.MAX_VALUE : 0;
    }
    long running =
        pods.stream().filter(pod -> PodState.hasNode(pod) && !PodState.isEnding(pod)).count();
    return Math.max(MIN_WAITING, (int) running / 4);
  }

  /** The run has its Pod, or does not request one now: the next one may have its turn. */
  void leave(AnalyticsRun run) {
    queue.leave(uid(run));
  }

  /** A Pod of a run has changed. One that has just got its node does not wait for one any more. */
  void podChanged(Pod pod) {
    if (PodState.hasNode(pod) && !PodState.hasContainers(pod)) {
      queue.roomFreed(pod.getMetadata().getNamespace());
    }
  }

  /** A Pod of the namespace has ended or is being deleted: it may be one that waited for a node. */
  void podEnded(String namespace) {
    queue.roomFreed(namespace);
  }

  private static String uid(AnalyticsRun run) {
    return run.getMetadata().getUid();
  }
}
