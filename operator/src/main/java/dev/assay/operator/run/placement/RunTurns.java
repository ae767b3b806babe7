package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.queue.ClassSlots;
import dev.assay.operator.run.queue.RunQueue;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is to have a Pod, and what the others wait for: a slot of their class, a node, room
 * in the quota, or an idle Pod.
 */
public final class RunTurns {
  /** How often those that wait for a slot of their class look, even if nobody wakes them. */
  private static final Duration SLOT_LOOK = Duration.ofSeconds(10);

  private final RunQueue queue;
  private final ClassSlots slots;
  private final WarmStarts warm;
  private final RunStatusUpdates updates;

  public RunTurns(RunQueue queue, ClassSlots slots, WarmStarts warm, RunStatusUpdates updates) {
    this.queue = queue;
    this.slots = slots;
    this.warm = warm;
    this.updates = updates;
  }

  /** Restores the queues that a run may be in from the statuses of runs, once. */
  void restore(AnalyticsRun run, @Nullable RunClass runClass) {
    queue.restore(run.getMetadata().getNamespace());
    if (runClass != null) {
      slots.restore(run, runClass);
    }
  }

  /** Has a run that waits in a queue already wait on; empty if it is its turn, or if it is new. */
  Optional<UpdateControl<AnalyticsRun>> waitOn(AnalyticsRun run, RunClass runClass) {
    if (slots.isWaiting(run) && !slots.take(run, runClass)) {
      return Optional.of(waitForSlot(run, runClass));
    }
    if (queue.contains(run)) {
      // Its datasets are not read before it may have a Pod.
      Optional<Duration> wait = queue.turn(run, runClass);
      if (wait.isPresent() && !warm.isDue(run, runClass)) {
        return Optional.of(waitInQueue(run, runClass, wait.get()));
      }
    }
    return Optional.empty();
  }

  /** Takes a slot of the class; returns whether the run may have a Pod. */
  boolean takeSlot(AnalyticsRun run, RunClass runClass) {
    return slots.take(run, runClass);
  }

  /**
   * In no other queue: it must not block runs of other classes in that of the quota, nor those that
   * have slots in that of its pool.
   */
  UpdateControl<AnalyticsRun> waitForSlot(AnalyticsRun run, RunClass runClass) {
    queue.leave(run);
    warm.stopWaiting(run);
    return updates.waitForStart(
        run,
        Optional.empty(),
        runClass,
        RunReason.Queued,
        "Queued behind other runs of class '%s': at most %d of a namespace run at a time"
            .formatted(runClass.getMetadata().getName(), runClass.getSpec().concurrentRunsLimit()),
        SLOT_LOOK);
  }

  /** Has a run wait for its turn to request its Pod; empty if it may request it now. */
  Optional<UpdateControl<AnalyticsRun>> waitForTurn(AnalyticsRun run, RunClass runClass) {
    return queue.turn(run, runClass).map(retry -> waitInQueue(run, runClass, retry));
  }

  private UpdateControl<AnalyticsRun> waitInQueue(
      AnalyticsRun run, RunClass runClass, Duration retry) {
    if (queue.waitsBriefly(run)) {
      // A status for each run of a burst would delay all of them.
      return waitQueued(run, runClass, "", retry);
    }
    if (queue.waitsForNode(run)) {
      return waitQueued(run, runClass, "Queued behind other Pods that wait for a node", retry);
    }
    String refusal = queue.lastRefusal(run);
    return queue.isFirst(run)
        ? waitForPod(run, runClass, refusal, retry)
        : waitQueued(
            run,
            runClass,
            "Queued for room in the namespace's quota, behind other runs or datasets: " + refusal,
            retry);
  }

  private UpdateControl<AnalyticsRun> waitQueued(
      AnalyticsRun run, RunClass runClass, String message, Duration retry) {
    warm.await(run, runClass);
    return updates.waitForStart(run, Optional.empty(), runClass, RunReason.Queued, message, retry);
  }

  UpdateControl<AnalyticsRun> waitForPod(AnalyticsRun run, RunClass runClass, String message) {
    return updates.waitForStart(run, Optional.empty(), runClass, RunReason.WaitingForPod, message);
  }

  UpdateControl<AnalyticsRun> waitForPod(
      AnalyticsRun run, RunClass runClass, String message, Duration retry) {
    warm.await(run, runClass);
    return updates.waitForStart(
        run, Optional.empty(), runClass, RunReason.WaitingForPod, message, retry);
  }

  /** The quota was exceeded: the run waits for room, until when to check again. */
  UpdateControl<AnalyticsRun> waitForRoom(AnalyticsRun run, RunClass runClass, String refusal) {
    return waitForPod(run, runClass, refusal, queue.refused(run, refusal));
  }

  /** Its Pod is requested: it counts as one that waits for a node until the cache has it. */
  void requested(AnalyticsRun run) {
    queue.requested(run);
  }

  /** It cannot request its Pod now, and must not block others that wait for room or for a node. */
  void leaveQueue(AnalyticsRun run) {
    queue.leave(run);
  }

  /** It has its Pod, or needs none. */
  public void stopWaiting(AnalyticsRun run) {
    queue.leave(run);
    slots.stopWaiting(run);
  }

  /** It may not be given an idle Pod any more. */
  public void stopWaitingForWarmPod(AnalyticsRun run) {
    warm.stopWaiting(run);
  }

  /** It cannot have a Pod yet, or never: others may have its slot. */
  void giveUp(AnalyticsRun run) {
    queue.leave(run);
    slots.leave(run);
    warm.stopWaiting(run);
  }

  /** It has ended. */
  public void ended(AnalyticsRun run) {
    slots.leave(run);
  }
}
