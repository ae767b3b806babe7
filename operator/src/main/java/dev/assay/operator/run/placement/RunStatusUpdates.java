package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.PodEvents;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunTransitions;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Writes what runs that are not executed wait for, until their pending deadlines. */
public final class RunStatusUpdates {
  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final RunResources resources;
  private final PodEvents podEvents;
  private final RunEvents events;
  private final RunEndings endings;
  private final Clock clock;

  public RunStatusUpdates(
      StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
      RunResources resources,
      PodEvents podEvents,
      RunEvents events,
      RunEndings endings,
      Clock clock) {
    this.statuses = statuses;
    this.resources = resources;
    this.podEvents = podEvents;
    this.events = events;
    this.endings = endings;
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
      return endings.end(run, pod, deadlineExceeded(pod, runClass, message));
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
}
