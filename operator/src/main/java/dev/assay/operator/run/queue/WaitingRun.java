package dev.assay.operator.run.queue;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.CreationOrder;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.RunState;

/** A run as it waits in a queue. */
public final class WaitingRun {
  private WaitingRun() {}

  public static Waiting of(AnalyticsRun run, RunResources resources) {
    return new Waiting(
        run.getMetadata().getUid(),
        RunState.caller(run),
        CreationOrder.of(run),
        () -> resources.isActive(run),
        () -> resources.reconcileAgain(run));
  }
}
