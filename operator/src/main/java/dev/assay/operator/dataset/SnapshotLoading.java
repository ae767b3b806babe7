package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.operator.kubernetes.WholeObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/** Loads the source of a dataset into a snapshot, in its Pod, and applies the outcome. */
final class SnapshotLoading {
  private final WholeObjects wholes;
  private final DatasetStatusWriter statuses;
  private final SnapshotAttempts attempts;
  private final SnapshotOutcomes outcomes;

  SnapshotLoading(WholeObjects wholes, DatasetStatusWriter statuses, SnapshotAttempts attempts) {
    this.wholes = wholes;
    this.statuses = statuses;
    this.attempts = attempts;
    this.outcomes = new SnapshotOutcomes(statuses, attempts);
  }

  /** How a loading ends. */
  enum End {
    /** The dataset was replaced or deleted before. */
    NOT_BEGUN,
    /** The status has the outcome. */
    WRITTEN,
    /** The dataset was deleted meanwhile. */
    DELETED
  }

  /** Loads a dataset; blocks. */
  End load(
      SnapshotExecution execution,
      Dataset dataset,
      SnapshotIdentity identity,
      Pod pod,
      RunClass runClass)
      throws InterruptedException {
    Optional<Dataset> whole =
        wholes.read(dataset).filter(found -> SnapshotIdentity.of(found).equals(identity));
    if (whole.isEmpty()) {
      return End.NOT_BEGUN;
    }
    SnapshotExecution.Outcome outcome =
        execution.execute(
            whole.get(), pod, runClass.getSpec(), identity, progressOf(dataset, identity));
    boolean exists = outcomes.apply(dataset, identity, runClass, outcome);
    if (!exists) {
      attempts.forget(identity);
    }
    return exists ? End.WRITTEN : End.DELETED;
  }

  private SnapshotExecution.Progress progressOf(Dataset dataset, SnapshotIdentity identity) {
    UploadSource upload = dataset.getSpec().source().upload();
    long bytes = upload == null ? 0 : upload.bytes();
    return new SnapshotExecution.Progress() {
      @Override
      public void uploading() {
        statuses.uploading(dataset, identity, bytes);
      }

      @Override
      public void uploaded() {
        statuses.loading(dataset, identity, "Reading the source");
      }
    };
  }
}
