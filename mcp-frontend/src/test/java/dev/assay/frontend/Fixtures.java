package dev.assay.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.call.OversizedValue;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Objects as the API server would have them. */
public final class Fixtures {
  private Fixtures() {}

  public static AnalyticsRun run(String name, @Nullable AnalyticsRunStatus status) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace("runs")
            .withName(name)
            .withUid("uid-1")
            .withCreationTimestamp("2026-01-02T03:04:05Z")
            .build());
    run.setSpec(
        new AnalyticsRunSpec(
            "python",
            Language.PYTHON,
            "pass",
            List.of("sales-data"),
            30,
            null,
            "alice",
            "execute_custom_analytics_code",
            "r1",
            null,
            null));
    if (status != null) {
      run.setStatus(status);
    }
    return run;
  }

  public static AnalyticsRunStatus status(
      RunPhase phase,
      @Nullable RunReason reason,
      @Nullable String message,
      @Nullable PayloadStarted started,
      @Nullable RunResult result) {
    return new AnalyticsRunStatus(
        phase, reason, message, 1L, null, null, null, started, null, null, null, null, result);
  }

  public static AnalyticsRunStatus succeeded(String output) {
    return status(
        RunPhase.Succeeded,
        RunReason.Completed,
        "The code completed",
        PayloadStarted.Yes,
        result(output, null));
  }

  public static RunResult result(String output, @Nullable RunError error) {
    int bytes = output.getBytes(UTF_8).length;
    return new RunResult(output, null, bytes, bytes, false, null, error);
  }

  public static Dataset dataset(String name, @Nullable DatasetPhase phase) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace("runs")
            .withName(name.replace('_', '-'))
            .withGeneration(1L)
            .withCreationTimestamp("2026-01-02T03:04:05Z")
            .withResourceVersion("1")
            .build());
    dataset.setSpec(
        new DatasetSpec(name, "snapshot", DatasetSource.inline(DatasetFormat.CSV, "a,b\n1,x\n")));
    if (phase != null) {
      dataset.setStatus(datasetStatus(phase, 1));
    }
    return dataset;
  }

  public static DatasetStatus datasetStatus(DatasetPhase phase, long generation) {
    return new DatasetStatus(
        phase,
        phase == DatasetPhase.Failed ? "ParserError: line 3" : null,
        generation,
        null,
        null,
        phase == DatasetPhase.Ready ? snapshot() : null);
  }

  public static Snapshot snapshot() {
    return new Snapshot(
        "s1",
        "datasets/s1",
        1,
        "00",
        9,
        1,
        2,
        List.of(
            new SnapshotColumn("a", "int64", 0, List.of("1")),
            new SnapshotColumn("b", "object", 3, null)),
        100,
        null,
        "arrow");
  }

  private static final byte[] NO_BODY = new byte[0];

  /** A value of a request that is not there. */
  public static OversizedValue oversized(OversizedValue.Kind kind, long bytes) {
    return new OversizedValue(kind, bytes, NO_BODY, 0, 0);
  }
}
