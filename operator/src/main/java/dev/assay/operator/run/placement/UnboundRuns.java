package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.status.Ending;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.util.Optional;

/** Runs that are bound to no Pod yet. */
public final class UnboundRuns {
  private final UnplacedRuns unplaced;
  private final UnboundPods pods;
  private final RunEndings endings;

  public UnboundRuns(UnplacedRuns unplaced, UnboundPods pods, RunEndings endings) {
    this.unplaced = unplaced;
    this.pods = pods;
    this.endings = endings;
  }

  /** Ends a run that was cancelled, gets it a Pod, or starts it in the one that it has. */
  public UpdateControl<AnalyticsRun> next(AnalyticsRun run, Optional<Pod> pod) {
    if (run.getSpec().cancelRequested()) {
      return endings.end(
          run,
          pod,
          Ending.startUnknown(RunReason.Cancelled, "The run was cancelled on request", null));
    }
    return pod.isEmpty() ? unplaced.admit(run) : pods.start(run, pod.get());
  }
}
