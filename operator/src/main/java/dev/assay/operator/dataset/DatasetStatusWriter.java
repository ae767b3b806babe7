package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.StatusWriter;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;

/**
 * Writes the states of datasets, and an Event when one is ready or has failed. Each write returns
 * whether the dataset still exists.
 */
final class DatasetStatusWriter {
  private final StatusWriter<DatasetStatus, Dataset> statuses;
  private final EventRecorder events;
  private final Clock clock;

  DatasetStatusWriter(
      KubernetesClient client, EventRecorder events, DatasetMetrics metrics, Clock clock) {
    this.statuses = new StatusWriter<>(client, Dataset.class, metrics::written);
    this.events = events;
    this.clock = clock;
  }

  boolean loading(Dataset dataset, SnapshotIdentity identity, String message) {
    return update(
        dataset,
        current -> DatasetTransitions.loading(current, identity, message, clock.instant()));
  }

  boolean waitingForPod(Dataset dataset, SnapshotIdentity identity, String message) {
    return update(
        dataset,
        current -> DatasetTransitions.waitingForPod(current, identity, message, clock.instant()));
  }

  boolean uploading(Dataset dataset, SnapshotIdentity identity, long bytes) {
    return update(
        dataset,
        current -> DatasetTransitions.uploading(current, identity, bytes, clock.instant()));
  }

  boolean ready(Dataset dataset, SnapshotIdentity identity, Snapshot snapshot) {
    boolean there =
        update(
            dataset,
            current -> DatasetTransitions.ready(current, identity, snapshot, clock.instant()));
    events.normal(dataset, "Ready", "Snapshot " + identity.id() + " is ready");
    return there;
  }

  boolean failed(Dataset dataset, SnapshotIdentity identity, String message) {
    boolean there =
        update(
            dataset,
            current -> DatasetTransitions.failed(current, identity, message, clock.instant()));
    events.warning(dataset, "Failed", message);
    return there;
  }

  private boolean update(Dataset dataset, Function<Dataset, Optional<DatasetStatus>> change) {
    return statuses.update(dataset, change).isPresent();
  }
}
