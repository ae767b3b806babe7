package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a run's status when the output store becomes unavailable and available again.
 * Empty means that the transition does not apply.
 */
public final class StoreOutageTransitions {
  private StoreOutageTransitions() {}

  /** Output of a bound run cannot be stored, and the run waits for the store. */
  public static Optional<AnalyticsRunStatus> begun(AnalyticsRun run, String message, Instant now) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.isFinal(run)
        || status.pod() == null
        || status.reason() == RunReason.OutputStoreUnavailable) {
      return Optional.empty();
    }
    List<Condition> conditions =
        RunConditions.with(
            status.conditions(),
            RunConditions.OUTPUT_STORE_UNAVAILABLE,
            RunReason.OutputStoreUnavailable,
            RunTransitions.cut(message),
            run.getMetadata().getGeneration(),
            StatusTimes.text(now));
    return Optional.of(changed(run, RunReason.OutputStoreUnavailable, message, conditions));
  }

  /** Output of a run is stored again. */
  static Optional<AnalyticsRunStatus> ended(AnalyticsRun run) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.isFinal(run) || status.reason() != RunReason.OutputStoreUnavailable) {
      return Optional.empty();
    }
    List<Condition> conditions =
        RunConditions.without(status.conditions(), RunConditions.OUTPUT_STORE_UNAVAILABLE);
    boolean running = RunConditions.phase(conditions) == RunPhase.Running;
    return Optional.of(
        changed(
            run,
            running ? RunReason.Started : RunReason.Bound,
            running ? "The code is running" : "The output store is available again",
            conditions));
  }

  /** Changes the reason without changing the phase. */
  private static AnalyticsRunStatus changed(
      AnalyticsRun run, RunReason reason, String message, @Nullable List<Condition> conditions) {
    return RunState.statusOf(run)
        .with()
        .reason(reason)
        .message(RunTransitions.cut(message))
        .observedGeneration(run.getMetadata().getGeneration())
        .conditions(conditions)
        .build();
  }
}
