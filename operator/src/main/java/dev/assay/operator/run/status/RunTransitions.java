package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.operator.pod.PodText;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a run's status, each a pure function from the current run to its next status.
 * Empty means that the transition does not apply any more: the run has ended, or is bound to
 * another Pod.
 */
public final class RunTransitions {
  private static final int MAX_MESSAGE = 4096;

  private RunTransitions() {}

  /**
   * The run waits, for this reason. A message that differs only in its details is not written
   * again: otherwise each waiting run would report every change of the cluster's free capacity.
   */
  public static Optional<AnalyticsRunStatus> waiting(
      AnalyticsRun run, RunReason reason, String message) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.isFinal(run)
        || status.pod() != null
        || (reason == status.reason() && kind(message).equals(kind(status.message())))) {
      return Optional.empty();
    }
    return Optional.of(
        status
            .with()
            .phase(RunPhase.Pending)
            .reason(reason)
            .message(cut(message))
            .observedGeneration(run.getMetadata().getGeneration())
            .payloadStarted(PayloadStarted.No)
            .build());
  }

  /**
   * What a run reads, whatever becomes of it meanwhile.
   *
   * @param snapshots of its datasets, in their order
   * @param inputs artifacts of earlier runs
   */
  public record Pinned(List<PinnedSnapshot> snapshots, List<PinnedInput> inputs) {}

  /**
   * The run is bound to a Pod, permanently. From now on the code may be started at any moment, so
   * {@code payloadStarted} is Unknown until the runner reports it.
   *
   * @param read what it reads
   * @param queued when the operator saw the run first
   * @param podCreated when the Pod was created, RFC 3339
   * @param podRunning when it was observed running
   */
  public static Optional<AnalyticsRunStatus> bound(
      AnalyticsRun run,
      BoundPod pod,
      Pinned read,
      Instant queued,
      String podCreated,
      Instant podRunning,
      Instant now) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.isFinal(run) || run.getSpec().cancelRequested() || status.pod() != null) {
      return Optional.empty();
    }
    String message = "Pod " + pod.name() + " is bound to this run";
    List<Condition> conditions =
        RunConditions.with(
            status.conditions(),
            RunConditions.BOUND,
            RunReason.Bound,
            message,
            run.getMetadata().getGeneration(),
            StatusTimes.text(now));
    RunTimings timings =
        RunTimings.NONE
            .withQueued(StatusTimes.text(queued))
            .withPodCreated(podCreated)
            .withPodRunning(StatusTimes.text(podRunning))
            .withBound(StatusTimes.text(now));
    return Optional.of(
        status
            .with()
            .phase(RunConditions.phase(conditions))
            .reason(RunReason.Bound)
            .message(message)
            .observedGeneration(run.getMetadata().getGeneration())
            .conditions(conditions)
            .snapshots(read.snapshots())
            .inputs(read.inputs().isEmpty() ? null : read.inputs())
            .pod(pod)
            .payloadStarted(PayloadStarted.Unknown)
            .timings(timings)
            .queueTime(StatusTimes.duration(queued, now))
            .build());
  }

  /**
   * An execution takes over a run that another one has bound, in this process or in another, before
   * it may start the code: from then on the other one may not give it back.
   *
   * @param dispatcher id of the execution
   */
  public static Optional<AnalyticsRunStatus> retaken(
      AnalyticsRun run, String podUid, String dispatcher) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    BoundPod pod = status.pod();
    return RunState.isFinal(run)
            || pod == null
            || !pod.uid().equals(podUid)
            || dispatcher.equals(pod.dispatcher())
        ? Optional.empty()
        : Optional.of(status.withPod(pod.withDispatcher(dispatcher)));
  }

  /**
   * The run is given back by the execution that has bound it to a Pod and has sent no start: it
   * waits for another Pod. One that has retaken the run since may have started it.
   *
   * @param dispatcher id of the execution
   */
  public static Optional<AnalyticsRunStatus> givenBack(
      AnalyticsRun run, String podUid, String dispatcher, String message) {
    BoundPod pod = RunState.statusOf(run).pod();
    return pod != null && dispatcher.equals(pod.dispatcher())
        ? released(run, podUid, message)
        : Optional.empty();
  }

  /**
   * The run is released from a Pod that ended before any code ran, or that can start none any more,
   * and waits for another Pod.
   */
  public static Optional<AnalyticsRunStatus> released(
      AnalyticsRun run, String podUid, String message) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.isFinal(run)
        || !RunState.isBoundTo(status, podUid)
        || status.phase() == RunPhase.Running) {
      return Optional.empty();
    }
    return Optional.of(
        AnalyticsRunStatusBuilder.builder()
            .phase(RunPhase.Pending)
            .reason(RunReason.WaitingForPod)
            .message(cut(message))
            .observedGeneration(run.getMetadata().getGeneration())
            .className(status.className())
            .conditions(RunConditions.without(status.conditions(), RunConditions.BOUND))
            .payloadStarted(PayloadStarted.No)
            .build());
  }

  /** The code reached its first instruction in the bound Pod. */
  public static Optional<AnalyticsRunStatus> started(AnalyticsRun run, String podUid, Instant now) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.isFinal(run)
        || !RunState.isBoundTo(status, podUid)
        || status.phase() == RunPhase.Running) {
      return Optional.empty();
    }
    String message = "The code is running";
    List<Condition> conditions =
        RunConditions.with(
            status.conditions(),
            RunConditions.STARTED,
            RunReason.Started,
            message,
            run.getMetadata().getGeneration(),
            StatusTimes.text(now));
    return Optional.of(
        status
            .with()
            .phase(RunConditions.phase(conditions))
            .reason(RunReason.Started)
            .message(message)
            .observedGeneration(run.getMetadata().getGeneration())
            .conditions(conditions)
            .payloadStarted(PayloadStarted.Yes)
            .timings(timings(status).withStarted(StatusTimes.text(now)))
            .build());
  }

  /**
   * The run ends.
   *
   * @param started when the code reached its first instruction, if known; may not have been written
   *     yet
   */
  public static Optional<AnalyticsRunStatus> finished(
      AnalyticsRun run, Ending ending, @Nullable Instant started, Instant now) {
    if (RunState.isFinal(run)) {
      return Optional.empty();
    }
    AnalyticsRunStatus status = RunState.statusOf(run);
    List<Condition> conditions =
        RunConditions.with(
            RunConditions.without(status.conditions(), RunConditions.OUTPUT_STORE_UNAVAILABLE),
            RunConditions.FINISHED,
            ending.reason(),
            cut(ending.message()),
            run.getMetadata().getGeneration(),
            StatusTimes.text(now));
    RunTimings timings = timings(status).withFinished(StatusTimes.text(now));
    if (started != null && timings.started() == null) {
      timings = timings.withStarted(StatusTimes.text(started));
    }
    return Optional.of(
        ending
            .artifacts()
            .addTo(
                status
                    .with()
                    .phase(RunConditions.phase(conditions))
                    .reason(ending.reason())
                    .message(cut(ending.message()))
                    .observedGeneration(run.getMetadata().getGeneration())
                    .conditions(conditions)
                    .payloadStarted(payloadStarted(ending, status, started))
                    .timings(timings)
                    .runTime(runTime(ending, timings, now))
                    .usage(ending.usage())
                    .toolCalls(ending.toolCalls())
                    .result(ending.result())
                    .build()));
  }

  private static PayloadStarted payloadStarted(
      Ending ending, AnalyticsRunStatus status, @Nullable Instant started) {
    if (ending.payloadStarted() != null) {
      return ending.payloadStarted();
    }
    if (started != null) {
      return PayloadStarted.Yes;
    }
    return status.payloadStarted() == null ? PayloadStarted.No : status.payloadStarted();
  }

  private static @Nullable String runTime(Ending ending, RunTimings timings, Instant now) {
    if (ending.runTime() != null) {
      return StatusTimes.text(ending.runTime());
    }
    return timings.started() == null
        ? null
        : StatusTimes.duration(Instant.parse(timings.started()), now);
  }

  private static RunTimings timings(AnalyticsRunStatus status) {
    return status.timings() == null ? RunTimings.NONE : status.timings();
  }

  private static String kind(@Nullable String message) {
    String text = cut(message);
    int end = text.indexOf(':');
    return end < 0 ? text : text.substring(0, end);
  }

  /** One line, from any source. */
  static String cut(@Nullable String message) {
    return PodText.line(message, MAX_MESSAGE);
  }
}
