package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import org.jspecify.annotations.Nullable;

/** Where a dataset stands, as a caller sees it: of its newest spec, never of an earlier one. */
public sealed interface DatasetState {
  /** It can be used. */
  record Ready(Snapshot snapshot) implements DatasetState {}

  /** Its source was refused; the reader's own words. */
  record Failed(String message) implements DatasetState {}

  /** It is being read, or the operator has not seen its newest spec yet. */
  record Loading(DatasetPhase phase) implements DatasetState {}

  /** The state of a dataset. */
  static DatasetState of(Dataset dataset) {
    @Nullable DatasetStatus status = dataset.getStatus();
    if (status == null || status.phase() == null) {
      return new Loading(DatasetPhase.Pending);
    }
    Long generation = dataset.getMetadata().getGeneration();
    boolean current = generation == null || generation.equals(status.observedGeneration());
    if (!current) {
      return new Loading(DatasetPhase.Pending);
    }
    return switch (status.phase()) {
      case Ready ->
          status.snapshot() == null
              ? new Loading(DatasetPhase.Loading)
              : new Ready(status.snapshot());
      case Failed ->
          new Failed(status.message() == null ? "no reason was given" : status.message());
      case Pending, Loading -> new Loading(status.phase());
    };
  }
}
