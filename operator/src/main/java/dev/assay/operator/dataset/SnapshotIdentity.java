package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.operator.pod.DatasetMount;

/**
 * The current attempt at a snapshot. Each attempt has a Pod and a directory of its own, so that a
 * partial snapshot is never read.
 *
 * @param datasetUid of the dataset
 * @param generation of the dataset's spec
 * @param attempt 0, 1, 2 …
 */
record SnapshotIdentity(String datasetUid, long generation, int attempt) {

  static SnapshotIdentity of(Dataset dataset) {
    DatasetStatus status = dataset.getStatus();
    long generation = dataset.getMetadata().getGeneration();
    boolean sameGeneration =
        status != null
            && status.observedGeneration() != null
            && status.observedGeneration() == generation;
    Integer attempt = sameGeneration && status != null ? status.attempt() : null;
    return new SnapshotIdentity(
        dataset.getMetadata().getUid(), generation, attempt == null ? 0 : attempt);
  }

  /** Unique in the namespace, and a valid Kubernetes name. */
  String id() {
    return datasetUid + "-" + generation + "-" + attempt;
  }

  String podName() {
    return "snapshot-" + id();
  }

  /** The directory, relative to the namespace's volume. */
  String path() {
    return DatasetMount.pathOf(datasetUid, generation + "-" + attempt);
  }
}
