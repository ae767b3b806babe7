package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.ExecutionRequest;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Optional;

/** How a run that is executed waits for its Pod: as one that is not. */
record PodWaiting(AnalyticsRun run, Pod pod, RunResources resources, RunStatusUpdates updates)
    implements ExecutionRequest.Waiting {
  @Override
  public Duration left() {
    return runClass().map(found -> updates.untilPendingDeadline(run, found)).orElse(Duration.ZERO);
  }

  @Override
  public void because(String message) {
    runClass()
        .ifPresent(
            found -> {
              var unused =
                  updates.waitForStart(
                      run, Optional.of(pod), found, RunReason.WaitingForPod, message);
            });
  }

  /** Empty if it was deleted: then the reconciler refuses the run. */
  private Optional<RunClass> runClass() {
    return Optional.ofNullable(resources.runClass(run));
  }
}
