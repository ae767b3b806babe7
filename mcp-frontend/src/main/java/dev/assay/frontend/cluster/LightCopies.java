package dev.assay.frontend.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.api.v1alpha1.Snapshot;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.jspecify.annotations.Nullable;

/** What the caches keep of each object: little, however large the object is. */
final class LightCopies {
  private LightCopies() {}

  /**
   * What finds the run of a cancelled request, tells of a run that was deleted unseen, and is shown
   * in a list.
   */
  static AnalyticsRun of(AnalyticsRun run) {
    AnalyticsRunSpec spec = run.getSpec();
    AnalyticsRun light = new AnalyticsRun();
    light.setMetadata(identity(run.getMetadata()));
    light.setSpec(
        new AnalyticsRunSpec(
            spec.className(),
            spec.language(),
            "",
            spec.datasetNames().stream().limit(1).toList(),
            null,
            null,
            spec.caller(),
            null,
            spec.requestId(),
            null,
            null));
    @Nullable AnalyticsRunStatus status = run.getStatus();
    if (status != null) {
      light.setStatus(
          new AnalyticsRunStatus(
              status.phase(),
              status.reason(),
              null,
              null,
              null,
              null,
              null,
              status.payloadStarted(),
              startAndEnd(status.timings()),
              null,
              null,
              null,
              null));
    }
    return light;
  }

  private static @Nullable RunTimings startAndEnd(@Nullable RunTimings timings) {
    return timings == null
        ? null
        : new RunTimings(null, null, null, null, timings.started(), timings.finished());
  }

  /** What the list of datasets shows, and whether runs can use one. */
  static Dataset of(Dataset dataset) {
    DatasetSpec spec = dataset.getSpec();
    Dataset light = new Dataset();
    light.setMetadata(identity(dataset.getMetadata()));
    light.setSpec(
        new DatasetSpec(
            spec.displayName(),
            spec.className(),
            new DatasetSource(spec.source().format(), null, null, null, null, null)));
    @Nullable DatasetStatus status = dataset.getStatus();
    if (status != null) {
      light.setStatus(
          new DatasetStatus(
              status.phase(),
              status.message(),
              status.observedGeneration(),
              null,
              null,
              withoutColumns(status.snapshot())));
    }
    return light;
  }

  private static @Nullable Snapshot withoutColumns(@Nullable Snapshot snapshot) {
    return snapshot == null
        ? null
        : new Snapshot(
            snapshot.id(),
            snapshot.path(),
            snapshot.generation(),
            snapshot.digest(),
            snapshot.bytes(),
            snapshot.rows(),
            snapshot.columnCount(),
            null,
            snapshot.memoryBytes(),
            snapshot.peakMemoryBytes(),
            snapshot.frame());
  }

  /** All but what kubectl and the API server note about who wrote what. */
  static RunClass of(RunClass runClass) {
    RunClass light = new RunClass();
    light.setMetadata(identity(runClass.getMetadata()));
    light.setSpec(runClass.getSpec());
    return light;
  }

  /** Annotations can hold the whole object once more, as kubectl apply has them do. */
  private static ObjectMeta identity(ObjectMeta metadata) {
    return new ObjectMetaBuilder()
        .withNamespace(metadata.getNamespace())
        .withName(metadata.getName())
        .withUid(metadata.getUid())
        .withResourceVersion(metadata.getResourceVersion())
        .withGeneration(metadata.getGeneration())
        .withCreationTimestamp(metadata.getCreationTimestamp())
        .build();
  }
}
