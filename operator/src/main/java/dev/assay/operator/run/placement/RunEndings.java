package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.queue.RunQueue;
import dev.assay.operator.run.results.StoredOutput;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunTransitions;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Ends runs that are not executed. */
public final class RunEndings {
  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final RunQueue queue;
  private final RunnerPods pods;
  private final RunOutputs outputs;
  private final RunEvents events;
  private final Clock clock;

  public RunEndings(
      StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
      RunQueue queue,
      RunnerPods pods,
      RunOutputs outputs,
      RunEvents events,
      Clock clock) {
    this.statuses = statuses;
    this.queue = queue;
    this.pods = pods;
    this.outputs = outputs;
    this.events = events;
    this.clock = clock;
  }

  /** Ends the run, unless it was bound since the ending was decided, and deletes its Pod. */
  UpdateControl<AnalyticsRun> end(AnalyticsRun run, Optional<Pod> pod, Ending ending) {
    AtomicBoolean changed = new AtomicBoolean();
    Optional<AnalyticsRun> written =
        statuses.update(
            run,
            current -> {
              Optional<AnalyticsRunStatus> next =
                  RunState.isAsBound(current, run)
                      ? RunTransitions.finished(current, ending, null, clock.instant())
                      : Optional.empty();
              changed.set(next.isPresent());
              return next;
            });
    if (written.isPresent() && !RunState.isFinal(written.get())) {
      // The cache was stale: the decision does not apply to the current run.
      return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(CACHE_RETRY);
    }
    queue.leave(run);
    StoredOutput.finish(outputs, run);
    if (written.isPresent() && changed.get()) {
      events.ended(run, ending);
    }
    pod.ifPresent(pods::delete);
    return UpdateControl.noUpdate();
  }

  /** Ends a run that is refused. */
  UpdateControl<AnalyticsRun> refuse(
      AnalyticsRun run, Optional<Pod> pod, RunAdmission.Refused refused) {
    return end(run, pod, Ending.notStarted(refused.reason(), refused.message()));
  }
}
