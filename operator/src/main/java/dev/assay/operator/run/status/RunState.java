package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The properties of a run's status that decisions depend on. */
public final class RunState {
  private RunState() {}

  public static AnalyticsRunStatus statusOf(AnalyticsRun run) {
    return run.getStatus() == null ? AnalyticsRunStatus.EMPTY : run.getStatus();
  }

  /** Runs without a caller, such as those that were created with kubectl, count as one caller's. */
  public static String caller(AnalyticsRun run) {
    return Objects.requireNonNullElse(run.getSpec().caller(), "");
  }

  public static boolean isFinal(AnalyticsRun run) {
    RunPhase phase = statusOf(run).phase();
    return phase != null && phase.isFinal();
  }

  /**
   * Whether a run has not ended and may still be reconciled: one that is marked for deletion is
   * not, however long the finalizer of somebody else keeps it, nor is one of a newer version.
   */
  public static boolean isActive(AnalyticsRun run) {
    return !isFinal(run) && run.understood() && run.getMetadata().getDeletionTimestamp() == null;
  }

  /** Whether the code runs; such a run is never given back by the Pod that it is bound to. */
  public static boolean isRunning(AnalyticsRun run) {
    return statusOf(run).phase() == RunPhase.Running;
  }

  /** Whether nothing has been decided about the run yet: it has waited for nothing. */
  public static boolean isNew(AnalyticsRun run) {
    return statusOf(run).phase() == null;
  }

  /** Whether the run's status says that it waits for its Pod. */
  public static boolean waitsForRoom(AnalyticsRun run) {
    AnalyticsRunStatus status = statusOf(run);
    return status.phase() == RunPhase.Pending
        && (status.reason() == RunReason.Queued || status.reason() == RunReason.WaitingForPod);
  }

  /** The message about what the run waits for; empty if there is none. */
  public static String waitsFor(AnalyticsRun run) {
    AnalyticsRunStatus status = statusOf(run);
    return status.phase() == RunPhase.Pending && status.message() != null ? status.message() : "";
  }

  /** Whether a run is bound to a Pod. */
  public static boolean isBound(AnalyticsRun run) {
    return statusOf(run).pod() != null;
  }

  public static boolean isBoundTo(AnalyticsRunStatus status, String podUid) {
    return status.pod() != null && status.pod().uid().equals(podUid);
  }

  /**
   * Whether a run is bound as it was when a decision was made: to the same runner, or to none. An
   * ending that was decided for an unbound run does not apply to a bound one.
   */
  public static boolean isAsBound(AnalyticsRun run, AnalyticsRun decidedOn) {
    return Objects.equals(runnerOf(run), runnerOf(decidedOn));
  }

  /** The execution that has bound a run or taken it over last; null if none has. */
  static @Nullable String dispatcherOf(AnalyticsRun run) {
    BoundPod pod = statusOf(run).pod();
    return pod == null ? null : pod.dispatcher();
  }

  /** Without the execution, which changes when a run is resumed. */
  private static @Nullable BoundPod runnerOf(AnalyticsRun run) {
    BoundPod pod = statusOf(run).pod();
    return pod == null ? null : pod.withDispatcher(null);
  }

  /** When it ended; of one that has not ended, or does not say when, its creation. */
  public static Instant finished(AnalyticsRun run) {
    var timings = statusOf(run).timings();
    return timings == null || timings.finished() == null
        ? created(run)
        : Instant.parse(timings.finished());
  }

  /** When the run was created; Kubernetes has RFC 3339 in whole seconds. */
  public static Instant created(AnalyticsRun run) {
    return Instant.parse(run.getMetadata().getCreationTimestamp());
  }
}
