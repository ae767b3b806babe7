package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.StatusWriter;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;

/** Writes the states of datasets, and an event where one is ready or has failed. */
final class DatasetStatusWriter {
  private final StatusWriter<DatasetStatus, Dataset> statuses;
  private final EventRecorder events;
  private final Clock clock;

  DatasetStatusWriter(KubernetesClient client, EventRecorder events, Clock clock) {
    this.statuses = new StatusWriter<>(client, Dataset.class);
    this.events = events;
    this.clock = clock;
  }

  void loading(Dataset dataset, SnapshotIdentity identity, String message) {
    statuses.update(
        dataset,
        current -> DatasetTransitions.loading(current, identity, message, clock.instant()));
  }

  void uploading(Dataset dataset, SnapshotIdentity identity, long bytes) {
    statuses.update(
        dataset,
        current -> DatasetTransitions.uploading(current, identity, bytes, clock.instant()));
  }

  void ready(Dataset dataset, SnapshotIdentity identity, Snapshot snapshot) {
    statuses.update(
        dataset, current -> DatasetTransitions.ready(current, identity, snapshot, clock.instant()));
    events.normal(dataset, "Ready", "Snapshot " + identity.id() + " can be used");
  }

  void failed(Dataset dataset, SnapshotIdentity identity, String message) {
    statuses.update(
        dataset, current -> DatasetTransitions.failed(current, identity, message, clock.instant()));
    events.warning(dataset, "Failed", message);
  }
}
