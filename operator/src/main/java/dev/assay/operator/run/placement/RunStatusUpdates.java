package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.PodEvents;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.queue.RunQueue;
import dev.assay.operator.run.results.StoreOutage;
import dev.assay.operator.run.results.StoredOutput;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunTransitions;
import dev.assay.operator.run.status.StoreOutageTransitions;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the status of runs that are not executed: what they wait for, until their pending
 * deadlines, and how they end.
 */
public final class RunStatusUpdates {
  private static final Logger LOG = LoggerFactory.getLogger(RunStatusUpdates.class);
  private static final Duration STORE_RETRY = Duration.ofSeconds(10);
  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final RunResources resources;
  private final RunQueue queue;
  private final RunnerPods pods;
  private final PodEvents podEvents;
  private final RunOutputs outputs;
  private final RunEvents events;
  private final Clock clock;

  public RunStatusUpdates(
      StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
      RunResources resources,
      RunQueue queue,
      RunnerPods pods,
      PodEvents podEvents,
      RunOutputs outputs,
      RunEvents events,
      Clock clock) {
    this.statuses = statuses;
    this.resources = resources;
    this.queue = queue;
    this.pods = pods;
    this.podEvents = podEvents;
    this.outputs = outputs;
    this.events = events;
    this.clock = clock;
  }

  /** The time left until the run must have its Pod; not negative. */
  Duration untilPendingDeadline(AnalyticsRun run, RunClass runClass) {
    Instant deadline =
        RunState.created(run).plusSeconds(runClass.getSpec().timeouts().pendingSeconds());
    Duration left = Duration.between(clock.instant(), deadline);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** The run waits, with this reason in its status, until its pending deadline. */
  UpdateControl<AnalyticsRun> waitForStart(
      AnalyticsRun run, Optional<Pod> pod, RunClass runClass, RunReason reason, String message) {
    Duration left = untilPendingDeadline(run, runClass);
    if (left.isZero()) {
      return end(run, pod, deadlineExceeded(pod, runClass, message));
    }
    if (!message.isEmpty() && RunTransitions.waiting(run, reason, message).isPresent()) {
      String className = runClass.getMetadata().getName();
      statuses
          .update(
              run,
              current ->
                  RunTransitions.waiting(current, reason, message)
                      .map(status -> status.withClassName(className)))
          .ifPresent(written -> resources.runWritten(run, written));
      events.waiting(run, reason, message);
    }
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(left);
  }

  /**
   * The run waits as above.
   *
   * @param retry when to check again, unless the deadline is earlier
   */
  UpdateControl<AnalyticsRun> waitForStart(
      AnalyticsRun run,
      Optional<Pod> pod,
      RunClass runClass,
      RunReason reason,
      String message,
      Duration retry) {
    UpdateControl<AnalyticsRun> control = waitForStart(run, pod, runClass, reason, message);
    return control.getScheduleDelay().filter(delay -> delay <= retry.toMillis()).isPresent()
        ? control
        : control.rescheduleAfter(retry);
  }

  private Ending deadlineExceeded(Optional<Pod> pod, RunClass runClass, String message) {
    String cause = message.isEmpty() ? pod.flatMap(podEvents::lastWarning).orElse("") : message;
    return Ending.notStarted(
        RunReason.StartFailed,
        "The run did not start within "
            + runClass.getSpec().timeouts().pendingSeconds()
            + " s"
            + (cause.isEmpty() ? "" : ": " + cause));
  }

  /** The stored output of a bound run is part of its ending, which waits until it can be read. */
  public UpdateControl<AnalyticsRun> waitForOutputStore(
      AnalyticsRun run, UncheckedIOException failure) {
    String message = StoreOutage.message(outputs, failure);
    if (StoreOutageTransitions.begun(run, message, clock.instant()).isPresent()) {
      LOG.warn("Output of run {} cannot be read. {}", run.getMetadata().getName(), message);
      events.outputStoreUnavailable(run, message);
      statuses
          .update(run, current -> StoreOutageTransitions.begun(current, message, clock.instant()))
          .ifPresent(written -> resources.runWritten(run, written));
    }
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(STORE_RETRY);
  }

  /** Ends the run, unless it was bound since the ending was decided, and deletes its Pod. */
  public UpdateControl<AnalyticsRun> end(AnalyticsRun run, Optional<Pod> pod, Ending ending) {
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
