package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The conditions of a run, and the phase that is derived from them. */
final class RunConditions {
  static final String BOUND = "Bound";
  static final String STARTED = "Started";
  static final String FINISHED = "Finished";
  static final String OUTPUT_STORE_UNAVAILABLE = "OutputStoreUnavailable";

  private RunConditions() {}

  /** Sets a condition to True; its transition time changes only with its reason. */
  static List<Condition> with(
      @Nullable List<Condition> conditions,
      String type,
      RunReason reason,
      String message,
      long generation,
      String now) {
    List<Condition> changed = new ArrayList<>();
    String since = now;
    if (conditions != null) {
      for (Condition condition : conditions) {
        if (!condition.getType().equals(type)) {
          changed.add(condition);
        } else if (condition.getReason().equals(reason.name())) {
          since = condition.getLastTransitionTime();
        }
      }
    }
    changed.add(
        new ConditionBuilder()
            .withType(type)
            .withStatus("True")
            .withReason(reason.name())
            .withMessage(message)
            .withObservedGeneration(generation)
            .withLastTransitionTime(since)
            .build());
    return List.copyOf(changed);
  }

  /** The conditions except those of a type. */
  static @Nullable List<Condition> without(@Nullable List<Condition> conditions, String type) {
    return conditions == null
        ? null
        : conditions.stream().filter(condition -> !condition.getType().equals(type)).toList();
  }

  static RunPhase phase(@Nullable List<Condition> conditions) {
    Optional<Condition> finished = find(conditions, FINISHED);
    if (finished.isPresent()) {
      return finalPhase(reason(finished.get()));
    }
    if (find(conditions, STARTED).isPresent()) {
      return RunPhase.Running;
    }
    return find(conditions, BOUND).isPresent() ? RunPhase.Starting : RunPhase.Pending;
  }

  private static RunReason reason(Condition condition) {
    return KnownValues.of(RunReason.class).stream()
        .filter(reason -> reason.name().equals(condition.getReason()))
        .findFirst()
        .orElse(RunReason.Unknown);
  }

  private static RunPhase finalPhase(RunReason reason) {
    return switch (reason) {
      case Completed -> RunPhase.Succeeded;
      case DeadlineExceeded -> RunPhase.TimedOut;
      case Cancelled -> RunPhase.Cancelled;
      case CodeError,
          MemoryExceeded,
          ScratchExceeded,
          InvalidSpec,
          ClassNotAllowed,
          ClassTooSmall,
          DatasetNotFound,
          ArtifactNotFound,
          GuardRefused,
          StartFailed,
          PodLost,
          RunnerLost,
          Queued,
          DatasetNotReady,
          WaitingForPod,
          PodCreated,
          Bound,
          Started,
          OutputStoreUnavailable ->
          RunPhase.Failed;
      case Unknown -> RunPhase.Unknown;
    };
  }

  private static Optional<Condition> find(@Nullable List<Condition> conditions, String type) {
    return conditions == null
        ? Optional.empty()
        : conditions.stream()
            .filter(condition -> condition.getType().equals(type))
            .filter(condition -> "True".equals(condition.getStatus()))
            .findFirst();
  }
}
