package dev.assay.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.frontend.call.OversizedValue;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.HexFormat;
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
        AnalyticsRunSpecBuilder.builder()
            .className("python")
            .language(Language.PYTHON)
            .code("pass")
            .datasets(List.of("sales-data"))
            .timeoutSeconds(30)
            .caller("alice")
            .tool("execute_custom_analytics_code")
            .requestId("r1")
            .build());
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
    return AnalyticsRunStatusBuilder.builder()
        .phase(phase)
        .reason(reason)
        .message(message)
        .observedGeneration(1L)
        .payloadStarted(started)
        .result(result)
        .build();
  }

  public static AnalyticsRunStatus running() {
    return status(RunPhase.Running, RunReason.Started, null, PayloadStarted.Yes, null);
  }

  public static AnalyticsRunStatus succeeded(String output) {
    return status(
        RunPhase.Succeeded,
        RunReason.Completed,
        "The code completed",
        PayloadStarted.Yes,
        result(output, null));
  }

  /** The end of a run that returned a value, which has nothing to do with others. */
  public static AnalyticsRunStatus returned(String valueJson) {
    return succeeded("")
        .withResult(
            result("", null)
                .withValue(valueJson)
                .withValueBytes((long) valueJson.getBytes(UTF_8).length));
  }

  public static RunResult result(String output, @Nullable RunError error) {
    int bytes = output.getBytes(UTF_8).length;
    return RunResultBuilder.builder()
        .output(output)
        .outputBytes(bytes)
        .storedBytes(bytes)
        .error(error)
        .build();
  }

  /** The end of a run that has left files. */
  public static AnalyticsRunStatus left(RunArtifact... artifacts) {
    return succeeded("").withArtifacts(List.of(artifacts));
  }

  /** A file that a run has left, as its status has it. */
  public static RunArtifact artifact(String path, byte[] bytes, String mediaType) {
    return new RunArtifact(
        path, bytes.length, HexFormat.of().formatHex(Sha256.digest().digest(bytes)), mediaType);
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
        DatasetSpecBuilder.builder()
            .caller("alice")
            .displayName(name)
            .className("snapshot")
            .source(DatasetSource.inline(DatasetFormat.CSV, "a,b\n1,x\n"))
            .build());
    if (phase != null) {
      dataset.setStatus(datasetStatus(phase, 1));
    }
    return dataset;
  }

  /** A dataset with a note of its own, and one of its column. */
  public static Dataset notedDataset(String name) {
    Dataset dataset = dataset(name, DatasetPhase.Ready);
    SnapshotNote ofColumn =
        new SnapshotNote(
            NoteCode.LeadingZeros,
            "is text: 2 values begin with a zero, the first in row 1",
            2,
            1L,
            "{\"dtype\": {\"zip\": \"Int64\"}}");
    dataset.setStatus(
        datasetStatus(DatasetPhase.Ready, 1)
            .withSnapshot(
                snapshot()
                    .withColumnCount(1)
                    .withColumns(
                        List.of(
                            SnapshotColumnBuilder.builder()
                                .name("zip")
                                .type("str")
                                .notes(List.of(ofColumn))
                                .build()))
                    .withNotes(
                        List.of(
                            new SnapshotNote(
                                NoteCode.LinesLeftOut, "3 lines were left out", 3, 7L, null)))));
    return dataset;
  }

  public static DatasetStatus datasetStatus(DatasetPhase phase, long generation) {
    return DatasetStatusBuilder.builder()
        .phase(phase)
        .message(phase == DatasetPhase.Failed ? "ParserError: line 3" : null)
        .observedGeneration(generation)
        .snapshot(phase == DatasetPhase.Ready ? snapshot() : null)
        .build();
  }

  public static Snapshot snapshot() {
    return SnapshotBuilder.builder()
        .id("s1")
        .path("datasets/s1")
        .generation(1)
        .digest("00")
        .bytes(9)
        .rows(1)
        .columnCount(2)
        .columns(
            List.of(
                SnapshotColumnBuilder.builder()
                    .name("a")
                    .type("int64")
                    .samples(List.of("1"))
                    .build(),
                SnapshotColumnBuilder.builder().name("b").type("object").nulls(3).build()))
        .memoryBytes(100)
        .frame("arrow")
        .reading(Snapshot.READING)
        .build();
  }

  private static final byte[] NO_BODY = new byte[0];

  /** A value of a request that is not there. */
  public static OversizedValue oversized(OversizedValue.Kind kind, long bytes) {
    return new OversizedValue(kind, bytes, NO_BODY, 0, 0);
  }
}
