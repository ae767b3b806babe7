package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.PodRejection;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Optional;

/** Gives admitted runs warm Pods, or creates Pods of their own, in the order of the queues. */
public final class PodCreation {
  private static final Duration USER_IDS_RETRY = Duration.ofSeconds(3);

  private static final Duration EGRESS_RETRY = Duration.ofSeconds(1);

  private final RunTurns turns;
  private final WarmStarts warm;
  private final OwnPods own;
  private final StartRetries retries;
  private final RunStatusUpdates updates;
  private final RunEndings endings;

  public PodCreation(
      RunTurns turns,
      WarmStarts warm,
      OwnPods own,
      StartRetries retries,
      RunStatusUpdates updates,
      RunEndings endings) {
    this.turns = turns;
    this.warm = warm;
    this.own = own;
    this.retries = retries;
    this.updates = updates;
    this.endings = endings;
  }

  /** Whether a run may have a Pod now, were it admitted and its turn. */
  boolean isDue(AnalyticsRun run, RunClass runClass) {
    return !updates.untilPendingDeadline(run, runClass).isZero()
        && !retries.backoff(run).isPositive()
        && own.missing(runClass).isEmpty();
  }

  /** Gets an admitted run a Pod, or has it wait for its turn. */
  UpdateControl<AnalyticsRun> createInTurn(
      AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted) {
    Duration left = updates.untilPendingDeadline(run, runClass);
    if (left.isZero()) {
      return turns.waitForPod(run, runClass, RunState.waitsFor(run));
    }
    Duration backoff = retries.backoff(run);
    if (backoff.isPositive()) {
      turns.leaveQueue(run);
      return UpdateControl.<AnalyticsRun>noUpdate()
          .rescheduleAfter(backoff.compareTo(left) < 0 ? backoff : left);
    }
    Optional<String> missing = own.missing(runClass);
    if (missing.isPresent()) {
      turns.leaveQueue(run);
      return turns.waitForPod(run, runClass, missing.get(), EGRESS_RETRY);
    }
    if (!turns.takeSlot(run, runClass)) {
      return turns.waitForSlot(run, runClass);
    }
    if (warm.start(run, runClass, admitted)) {
      return UpdateControl.noUpdate();
    }
    Optional<UpdateControl<AnalyticsRun>> waits = turns.waitForTurn(run, runClass);
    return waits.isPresent() ? waits.get() : create(run, runClass, admitted, left);
  }

  private UpdateControl<AnalyticsRun> create(
      AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted, Duration untilDeadline) {
    return switch (own.create(run, runClass, admitted)) {
      case OwnPods.Requested unused -> {
        turns.requested(run);
        yield UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(untilDeadline);
      }
      case OwnPods.NoUserIds unused -> {
        turns.leaveQueue(run);
        yield turns.waitForPod(
            run,
            runClass,
            "All user ids of namespace " + run.getMetadata().getNamespace() + " are in use",
            USER_IDS_RETRY);
      }
      case OwnPods.Rejected rejected -> rejected(run, runClass, rejected.by());
    };
  }

  /** The API server rejects the Pod. */
  private UpdateControl<AnalyticsRun> rejected(
      AnalyticsRun run, RunClass runClass, KubernetesClientException rejection) {
    String message = ApiErrors.message(rejection);
    PodRejection cause = PodRejection.of(rejection);
    if (cause != PodRejection.NO_ROOM) {
      // It does not wait for room in the quota, and must not block those that do.
      turns.leaveQueue(run);
    }
    return switch (cause) {
      case NO_ROOM -> turns.waitForRoom(run, runClass, message);
      case FORBIDDEN -> turns.waitForPod(run, runClass, message, PodRejection.FORBIDDEN_RETRY);
      case INVALID ->
          endings.end(
              run,
              Optional.empty(),
              Ending.notStarted(RunReason.StartFailed, "The Pod was rejected: " + message));
      case OTHER -> throw rejection;
    };
  }
}
