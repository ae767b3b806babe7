package dev.assay.operator.run.queue;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.SlotQueue;
import dev.assay.operator.kubernetes.SlotQueue.Slots;
import dev.assay.operator.kubernetes.SlotQueue.Use;
import dev.assay.operator.run.cluster.RunResources;

/** The runs of classes that limit how many a namespace has at a time. */
public final class ClassSlots {
  private final SlotQueue queue = new SlotQueue();
  private final RunResources resources;

  public ClassSlots(RunResources resources) {
    this.resources = resources;
  }

  /** Restores the queue of a class in a namespace from the statuses of its runs, once. */
  public void restore(AnalyticsRun run, RunClass runClass) {
    if (runClass.getSpec().concurrentRunsLimit() != null) {
      Slots slots = slots(run, runClass);
      queue.restore(
          slots,
          () ->
              resources.waitingForRoom(slots.namespace()).stream()
                  .filter(waiting -> isOf(runClass, waiting))
                  .map(waiting -> WaitingRun.of(waiting, resources))
                  .toList());
    }
  }

  private boolean isOf(RunClass runClass, AnalyticsRun run) {
    RunClass found = resources.runClass(run);
    return found != null && name(found).equals(name(runClass));
  }

  /** Whether the run waits for a slot of its class. */
  public boolean isWaiting(AnalyticsRun run) {
    return queue.isWaiting(uid(run));
  }

  /**
   * Takes a slot of the class, or waits for one.
   *
   * @return whether the run may have a Pod
   */
  public boolean take(AnalyticsRun run, RunClass runClass) {
    Integer limit = runClass.getSpec().concurrentRunsLimit();
    if (limit == null) {
      queue.leave(uid(run));
      return true;
    }
    Slots slots = slots(run, runClass);
    return queue.take(
        slots,
        WaitingRun.of(run, resources),
        () -> new Use(limit, resources.startedRunUids(slots.namespace(), slots.className())));
  }

  /** The run has its Pod, or needs none. */
  public void stopWaiting(AnalyticsRun run) {
    queue.stopWaiting(uid(run));
  }

  /** The run has ended, or cannot have its Pod yet. */
  public void leave(AnalyticsRun run) {
    queue.leave(uid(run));
  }

  /** A Pod of the namespace has ended or is being deleted. */
  public void podEnded(String namespace) {
    queue.podEnded(namespace);
  }

  private static Slots slots(AnalyticsRun run, RunClass runClass) {
    return Slots.ofClass(run.getMetadata().getNamespace(), name(runClass));
  }

  private static String name(RunClass runClass) {
    return runClass.getMetadata().getName();
  }

  private static String uid(AnalyticsRun run) {
    return run.getMetadata().getUid();
  }
}
