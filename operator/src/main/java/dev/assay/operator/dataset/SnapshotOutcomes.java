package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.runner.FailedStart;
import dev.assay.operator.runner.RunnerEvent;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Applies the outcome of an execution to the dataset: Ready, Failed, or another attempt. */
final class SnapshotOutcomes {
  private final DatasetStatusWriter statuses;
  private final SnapshotAttempts attempts;

  SnapshotOutcomes(DatasetStatusWriter statuses, SnapshotAttempts attempts) {
    this.statuses = statuses;
    this.attempts = attempts;
  }

  /** Returns whether the dataset still exists. */
  boolean apply(
      Dataset dataset,
      SnapshotIdentity identity,
      RunClass runClass,
      SnapshotExecution.Outcome outcome) {
    return switch (outcome) {
      case SnapshotExecution.Reported reported -> apply(dataset, identity, reported.result());
      case SnapshotExecution.Lost lost -> attempts.startNext(dataset, identity, lost.message());
      case SnapshotExecution.Refused refused ->
          statuses.failed(dataset, identity, refused.message());
      case SnapshotExecution.OutOfMemory unused ->
          statuses.failed(
              dataset,
              identity,
              "Reading the source needs more memory than class '"
                  + runClass.getMetadata().getName()
                  + "' gives, which is "
                  + runClass.getSpec().resources().memory()
                  + ": name a snapshot class that gives more");
    };
  }

  private boolean apply(Dataset dataset, SnapshotIdentity identity, RunnerEvent.Result result) {
    if (result.outcome() == RunnerEvent.Outcome.WorkerLost) {
      return attempts.startNext(
          dataset, identity, "the worker container terminated while it read the source");
    }
    Optional<String> passing = FailedStart.retryableCause(result, null);
    if (passing.isPresent()) {
      return attempts.startNextLater(dataset, identity, "nothing was read: " + passing.get());
    }
    if (result.outcome() != RunnerEvent.Outcome.Succeeded) {
      return statuses.failed(dataset, identity, failure(result));
    }
    Optional<Snapshot> snapshot = SnapshotDescription.read(result.description(), identity);
    if (snapshot.isEmpty()) {
      return statuses.failed(dataset, identity, "The snapshot's description is malformed");
    }
    @Nullable Boolean untrusted = dataset.getSpec().source().untrusted();
    return statuses.ready(
        dataset,
        identity,
        Boolean.TRUE.equals(untrusted) ? snapshot.get().withUntrusted(true) : snapshot.get());
  }

  private static String failure(RunnerEvent.Result result) {
    return switch (result.outcome()) {
      case CodeError, StartFailed, Succeeded ->
          result.error() == null
              ? "The source could not be read"
              : result.error().type() + ": " + result.error().message();
      case DeadlineExceeded -> "Reading the source took longer than its class allows";
      // A lost worker or one out of memory is handled earlier.
      case Cancelled, MemoryExceeded, WorkerLost -> "Loading was cancelled";
    };
  }
}
