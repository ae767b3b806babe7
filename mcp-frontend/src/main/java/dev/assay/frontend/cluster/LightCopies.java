package dev.assay.frontend.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSourceBuilder;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.frontend.dataset.LimitedDatasets;
import dev.assay.frontend.run.RunAccess;
import dev.assay.frontend.run.RunState;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the caches keep of each object: little, however large the object is. */
final class LightCopies {
  private LightCopies() {}

  /**
   * What finds the run of a cancelled request, tells of a run that was deleted unseen, is shown in
   * a list, and whether it has artifacts.
   */
  static AnalyticsRun of(AnalyticsRun run) {
    AnalyticsRunSpec spec = run.getSpec();
    AnalyticsRun light = new AnalyticsRun();
    light.setMetadata(identity(run.getMetadata()));
    Map<String, String> annotations = new HashMap<>();
    annotations.put(RunBytes.ANNOTATION, Long.toString(RunBytes.count(run)));
    if (RunState.isInvalidated(run)) {
      annotations.put(RunState.CACHE_INVALIDATED, "true");
    }
    if (RunState.isDetached(run)) {
      annotations.put(RunState.DETACHED, "true");
    }
    if (RunAccess.isShared(run)) {
      light.getMetadata().setLabels(Map.of(RunAccess.SHARED, "true"));
    }
    light.getMetadata().setAnnotations(annotations);
    @Nullable AnalyticsRunStatus status = run.getStatus();
    boolean isCached = status != null && status.cacheKey() != null;
    boolean isInvalidatable = isCached || RunState.mayBeCached(run);
    light.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .className(spec.className())
            .language(spec.language())
            .code("")
            .builtin(isExport(spec) ? new BuiltinSpec(Builtin.EXPORT, null) : null)
            .datasets(
                spec.datasetNames().stream().limit(isInvalidatable ? Long.MAX_VALUE : 1).toList())
            .cacheName(isInvalidatable ? spec.cacheName() : null)
            .caller(spec.caller())
            .requestId(spec.requestId())
            .cancel(spec.cancel())
            .build());
    if (status != null) {
      light.setStatus(
          AnalyticsRunStatusBuilder.builder()
              .phase(status.phase())
              .reason(status.reason())
              .className(status.className())
              .payloadStarted(status.payloadStarted())
              .timings(startAndEnd(status.timings()))
              .cacheKey(status.cacheKey())
              .artifacts(status.artifactList().stream().limit(1).toList())
              .result(isCached ? lengthOfValue(status.result()) : null)
              .build());
    }
    return light;
  }

  /** What it exported can be named by its path. */
  private static boolean isExport(AnalyticsRunSpec spec) {
    return spec.builtin() != null && spec.builtin().name() == Builtin.EXPORT;
  }

  private static @Nullable RunResult lengthOfValue(@Nullable RunResult result) {
    return result == null
        ? null
        : RunResultBuilder.builder().valueBytes(result.valueBytes()).build();
  }

  private static @Nullable RunTimings startAndEnd(@Nullable RunTimings timings) {
    return timings == null
        ? null
        : RunTimingsBuilder.builder()
            .started(timings.started())
            .finished(timings.finished())
            .build();
  }

  /** What the list of datasets shows, and whether runs can use one. */
  static Dataset of(Dataset dataset) {
    DatasetSpec spec = dataset.getSpec();
    Dataset light = new Dataset();
    light.setMetadata(identity(dataset.getMetadata()));
    light
        .getMetadata()
        .setAnnotations(
            Map.of(LimitedDatasets.TABLE_BYTES, Long.toString(LimitedDatasets.tableBytes(spec))));
    light.setSpec(
        DatasetSpecBuilder.builder()
            .displayName(spec.displayName())
            .className(spec.className())
            .caller(spec.caller())
            .source(
                DatasetSourceBuilder.builder()
                    .format(spec.source().format())
                    .untrusted(spec.source().untrusted())
                    .build())
            .build());
    @Nullable DatasetStatus status = dataset.getStatus();
    if (status != null) {
      light.setStatus(
          DatasetStatusBuilder.builder()
              .phase(status.phase())
              .message(status.message())
              .observedGeneration(status.observedGeneration())
              .snapshot(withoutColumnsAndNotes(status.snapshot()))
              .build());
    }
    return light;
  }

  private static @Nullable Snapshot withoutColumnsAndNotes(@Nullable Snapshot snapshot) {
    return snapshot == null ? null : snapshot.with().columns(null).notes(null).build();
  }

  /** All but what kubectl and the API server note about who wrote what. */
  static RunClass of(RunClass runClass) {
    RunClass light = new RunClass();
    light.setMetadata(identity(runClass.getMetadata()));
    light.setSpec(runClass.getSpec());
    if (runClass.getStatus() != null) {
      light.setStatus(runClass.getStatus());
    }
    return light;
  }

  /** What decides which of its tools are listed, and those. */
  static ToolServer of(ToolServer server) {
    ToolServer light = new ToolServer();
    light.setMetadata(identity(server.getMetadata()));
    light.setSpec(server.getSpec().with().auth(null).headers(null).approvedTools(null).build());
    if (server.getStatus() != null) {
      light.setStatus(server.getStatus());
    }
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
