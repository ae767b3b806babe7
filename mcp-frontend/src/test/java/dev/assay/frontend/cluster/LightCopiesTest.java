package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.dataset.DatasetText;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LightCopiesTest {
  /** Stands wherever the caller, the Pod or kubectl decide how long something is. */
  private static final String BULK = "bulk".repeat(4096);

  @Test
  void ofARunNothingIsKeptThatCanBeLarge() {
    AnalyticsRun run = largeRun();

    assertThat(Serialization.asJson(LightCopies.of(run)))
        .doesNotContain("bulk")
        .hasSizeLessThan(600);
    assertThat(Serialization.asJson(run)).hasSizeGreaterThan(6 * BULK.length());
  }

  @Test
  void ofARunIsKeptWhatFindsItAgainWhatItsDeletionTellsAndWhatAListShows() {
    AnalyticsRun light = LightCopies.of(largeRun());

    assertThat(light.getMetadata().getName()).isEqualTo("run-a");
    assertThat(light.getMetadata().getNamespace()).isEqualTo("runs");
    assertThat(light.getMetadata().getResourceVersion()).isEqualTo("7");
    assertThat(light.getSpec().caller()).isEqualTo("alice");
    assertThat(light.getSpec().requestId()).isEqualTo("r1");
    assertThat(light.getMetadata().getCreationTimestamp()).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(light.getSpec().datasetNames()).containsExactly("sales-data");
    assertThat(light.getStatus().phase()).isEqualTo(RunPhase.Failed);
    assertThat(light.getStatus().reason()).isEqualTo(RunReason.CodeError);
    assertThat(light.getStatus().timings())
        .isEqualTo(new RunTimings(null, null, null, null, "started", "finished"));
    assertThat(light.getStatus().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(LightCopies.of(Fixtures.run("run-b", null)).getStatus()).isNull();
  }

  @Test
  void ofADatasetNothingIsKeptThatItsListDoesNotShow() {
    Dataset dataset = largeDataset();
    Dataset light = LightCopies.of(dataset);

    assertThat(Serialization.asJson(light)).doesNotContain("bulk").hasSizeLessThan(700);
    assertThat(Serialization.asJson(dataset)).hasSizeGreaterThan(4 * BULK.length());
    assertThat(DatasetText.list(List.of(light))).isEqualTo(DatasetText.list(List.of(dataset)));
    assertThat(light.getMetadata().getGeneration()).isEqualTo(3);
  }

  @Test
  void aDatasetThatIsNewHasNoStatusInTheCopyEither() {
    assertThat(LightCopies.of(Fixtures.dataset("d", null)).getStatus()).isNull();
    assertThat(
            Objects.requireNonNull(
                    LightCopies.of(Fixtures.dataset("d", DatasetPhase.Failed)).getStatus())
                .snapshot())
        .isNull();
  }

  private static AnalyticsRun largeRun() {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(largeMetadata("run-a"));
    AnalyticsRunSpec spec = Fixtures.run("run-a", null).getSpec();
    run.setSpec(
        new AnalyticsRunSpec(
            spec.className(),
            spec.language(),
            BULK,
            Stream.concat(Stream.of("sales-data"), Stream.generate(() -> "bulk").limit(15))
                .toList(),
            30,
            null,
            spec.caller(),
            spec.tool(),
            spec.requestId(),
            null,
            null));
    run.setStatus(
        new AnalyticsRunStatus(
            RunPhase.Failed,
            RunReason.CodeError,
            BULK,
            1L,
            List.of(condition()),
            null,
            null,
            PayloadStarted.Yes,
            new RunTimings("bulk", "bulk", "bulk", "bulk", "started", "finished"),
            null,
            null,
            null,
            new RunResult(BULK, BULK, 1, 1, false, BULK, new RunError(BULK, BULK, 1, BULK))));
    return run;
  }

  private static Dataset largeDataset() {
    Dataset dataset = new Dataset();
    dataset.setMetadata(largeMetadata("sales-data"));
    Dataset small = Fixtures.dataset("sales_data", DatasetPhase.Ready);
    dataset.setSpec(
        new DatasetSpec(
            "sales_data",
            "snapshot",
            DatasetSource.inline(small.getSpec().source().format(), BULK)));
    Snapshot snapshot = Fixtures.snapshot();
    dataset.setStatus(
        new DatasetStatus(
            DatasetPhase.Ready,
            null,
            3L,
            List.of(condition()),
            null,
            new Snapshot(
                snapshot.id(),
                snapshot.path(),
                3,
                snapshot.digest(),
                snapshot.bytes(),
                snapshot.rows(),
                256,
                Collections.nCopies(256, new SnapshotColumn("bulk".repeat(64), "int64", 0, null)),
                snapshot.memoryBytes(),
                snapshot.peakMemoryBytes(),
                snapshot.frame())));
    return dataset;
  }

  private static Condition condition() {
    return new ConditionBuilder().withType("Finished").withMessage("bulk").build();
  }

  private static ObjectMeta largeMetadata(String name) {
    return new ObjectMetaBuilder()
        .withNamespace("runs")
        .withName(name)
        .withUid("uid-1")
        .withResourceVersion("7")
        .withGeneration(3L)
        .withCreationTimestamp("2026-01-02T03:04:05Z")
        .withLabels(Map.of("bulk", "bulk"))
        .withAnnotations(Map.of("kubectl.kubernetes.io/last-applied-configuration", BULK))
        .withManagedFields(new ManagedFieldsEntryBuilder().withManager(BULK).build())
        .build();
  }
}
