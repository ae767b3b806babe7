package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.pod.PodText;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The transitions of a dataset's status, each a pure function. Empty means that the transition does
 * not apply: the dataset was changed since, or is in that state already. The snapshot that runs
 * read is kept until a newer one is complete.
 */
final class DatasetTransitions {
  private static final int MAX_MESSAGE = 4096;

  private static final String WAITING_FOR_POD = "WaitingForPod";

  private DatasetTransitions() {}

  static DatasetStatus statusOf(Dataset dataset) {
    return dataset.getStatus() == null ? DatasetStatus.EMPTY : dataset.getStatus();
  }

  /** Whether the current generation is Ready or Failed. */
  static boolean isSettled(Dataset dataset) {
    DatasetStatus status = statusOf(dataset);
    return status.observedGeneration() != null
        && status.observedGeneration().equals(dataset.getMetadata().getGeneration())
        && (status.phase() == DatasetPhase.Ready || status.phase() == DatasetPhase.Failed);
  }

  /**
   * Whether its current generation may still be loaded: a dataset that is marked for deletion is
   * not reconciled, however long the finalizer of somebody else keeps it.
   */
  static boolean isActive(Dataset dataset) {
    return !isSettled(dataset) && dataset.getMetadata().getDeletionTimestamp() == null;
  }

  /** Its Pod waits for the bytes, or receives them. */
  static Optional<DatasetStatus> uploading(
      Dataset dataset, SnapshotIdentity identity, long bytes, Instant now) {
    String message = "Receiving " + bytes + " bytes";
    return change(dataset, identity, DatasetPhase.Uploading, "Uploading", message, null, now);
  }

  /** This attempt has no Pod yet, though earlier ones may have had. */
  static Optional<DatasetStatus> waitingForPod(
      Dataset dataset, SnapshotIdentity identity, String message, Instant now) {
    return change(dataset, identity, DatasetPhase.Loading, WAITING_FOR_POD, message, null, now);
  }

  /**
   * Whether the status says that this attempt has a Pod. A deleted Pod may have left a partial
   * snapshot in the attempt's directory.
   */
  static boolean hadPod(Dataset dataset, SnapshotIdentity identity) {
    DatasetStatus status = statusOf(dataset);
    return Long.valueOf(identity.generation()).equals(status.observedGeneration())
        && Integer.valueOf(identity.attempt()).equals(status.attempt())
        && !WAITING_FOR_POD.equals(reasonOf(status));
  }

  private static @Nullable String reasonOf(DatasetStatus status) {
    return status.conditions() == null || status.conditions().isEmpty()
        ? null
        : status.conditions().getFirst().getReason();
  }

  static Optional<DatasetStatus> loading(
      Dataset dataset, SnapshotIdentity identity, String message, Instant now) {
    return change(dataset, identity, DatasetPhase.Loading, "Loading", message, null, now);
  }

  static Optional<DatasetStatus> ready(
      Dataset dataset, SnapshotIdentity identity, Snapshot snapshot, Instant now) {
    String message = snapshot.rows() + " rows, " + snapshot.columnCount() + " columns";
    return change(dataset, identity, DatasetPhase.Ready, "Loaded", message, snapshot, now);
  }

  static Optional<DatasetStatus> failed(
      Dataset dataset, SnapshotIdentity identity, String message, Instant now) {
    return change(dataset, identity, DatasetPhase.Failed, "LoadFailed", message, null, now);
  }

  private static Optional<DatasetStatus> change(
      Dataset dataset,
      SnapshotIdentity identity,
      DatasetPhase phase,
      String reason,
      String message,
      @Nullable Snapshot snapshot,
      Instant now) {
    DatasetStatus status = statusOf(dataset);
    String text = PodText.line(message, MAX_MESSAGE);
    boolean superseded =
        dataset.getMetadata().getGeneration() != identity.generation()
            || SnapshotIdentity.of(dataset).attempt() > identity.attempt();
    boolean same =
        status.phase() == phase
            && text.equals(status.message())
            && reason.equals(reasonOf(status))
            && Long.valueOf(identity.generation()).equals(status.observedGeneration())
            && Integer.valueOf(identity.attempt()).equals(status.attempt());
    if (superseded || isSettled(dataset) || same) {
      return Optional.empty();
    }
    Condition ready =
        new ConditionBuilder()
            .withType("Ready")
            .withStatus(phase == DatasetPhase.Ready ? "True" : "False")
            .withReason(reason)
            .withMessage(text)
            .withObservedGeneration(identity.generation())
            .withLastTransitionTime(now.truncatedTo(ChronoUnit.MILLIS).toString())
            .build();
    return Optional.of(
        status
            .with()
            .phase(phase)
            .message(text)
            .observedGeneration(identity.generation())
            .conditions(List.of(ready))
            .attempt(identity.attempt())
            .snapshot(snapshot == null ? status.snapshot() : snapshot)
            .build());
  }
}
