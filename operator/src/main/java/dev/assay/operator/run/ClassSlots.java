package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.SlotQueue;
import dev.assay.operator.kubernetes.SlotQueue.Slots;
import dev.assay.operator.kubernetes.SlotQueue.Use;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.function.Supplier;

/** The runs of classes that limit how many a namespace has at a time. */
final class ClassSlots {
  private final SlotQueue queue = new SlotQueue();
  private final RunResources resources;

  ClassSlots(RunResources resources) {
    this.resources = resources;
  }

  /** Restores the queue of a class in a namespace from the statuses of its runs, once. */
  void restore(AnalyticsRun run, RunClass runClass) {
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
  boolean isWaiting(AnalyticsRun run) {
    return queue.isWaiting(uid(run));
  }

  /**
   * Takes a slot of the class, or waits for one.
   *
   * @return whether the run may have a Pod
   */
  boolean take(AnalyticsRun run, RunClass runClass) {
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
  void stopWaiting(AnalyticsRun run) {
    queue.stopWaiting(uid(run));
  }

  /** The run has ended, or cannot have its Pod yet. */
  void leave(AnalyticsRun run) {
    queue.leave(uid(run));
  }

  /** A Pod of the namespace has ended or is being deleted. */
  void podEnded(String namespace) {
    queue.podEnded(namespace);
  }

  /**
   * Whether a run of the class has its Pod and has not ended, whoever has started it.
   *
   * @param pod finds its Pod
   */
  static boolean isStarted(AnalyticsRun run, String className, Supplier<Optional<Pod>> pod) {
    if (RunState.isFinal(run)) {
      return false;
    }
    Optional<Pod> found = pod.get();
    return (RunState.isBound(run) || found.isPresent())
        && ClassChoice.settled(run, found).filter(className::equals).isPresent();
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
