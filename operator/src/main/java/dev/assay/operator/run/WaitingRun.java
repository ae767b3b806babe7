package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.CreationOrder;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import java.util.Objects;

/** A run as it waits in a queue. */
final class WaitingRun {
  private WaitingRun() {}

  static Waiting of(AnalyticsRun run, RunResources resources) {
    return new Waiting(
        run.getMetadata().getUid(),
        caller(run),
        CreationOrder.of(run),
        () -> resources.isActive(run),
        () -> resources.reconcileAgain(run));
  }

  /** Runs without a caller, such as those that were created with kubectl, count as one caller's. */
  static String caller(AnalyticsRun run) {
    return Objects.requireNonNullElse(run.getSpec().caller(), "");
  }
}
