package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.dataset.LimitedDatasets;
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
        .isEqualTo(RunTimingsBuilder.builder().started("started").finished("finished").build());
    assertThat(light.getStatus().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(LightCopies.of(Fixtures.run("run-b", null)).getStatus()).isNull();
  }

  @Test
  void ofAQueryInProgressIsKeptWhatForgetsItsResult() {
    AnalyticsRun run = Fixtures.run("run-a", Fixtures.running());
    List<String> datasets = List.of("sales", "flights");
    run.setSpec(
        run.getSpec().withLanguage(Language.SQL).withDatasets(datasets).withCacheName("daily"));

    AnalyticsRun light = LightCopies.of(run);
    assertThat(light.getSpec().datasetNames()).isEqualTo(datasets);
    assertThat(light.getSpec().cacheName()).isEqualTo("daily");
    run.setStatus(
        Fixtures.status(RunPhase.Failed, RunReason.CodeError, "", PayloadStarted.Yes, null));
    assertThat(LightCopies.of(run).getSpec().cacheName()).isNull();
  }

  @Test
  void ofADatasetNothingIsKeptThatItsListDoesNotShow() {
    Dataset dataset = largeDataset();
    Dataset light = LightCopies.of(dataset);

    assertThat(Serialization.asJson(light)).doesNotContain("bulk").hasSizeLessThan(700);
    assertThat(Serialization.asJson(dataset)).hasSizeGreaterThan(4 * BULK.length());
    assertThat(DatasetText.list(List.of(light), List.of(), 20_000))
        .isEqualTo(DatasetText.list(List.of(dataset), List.of(), 20_000));
    assertThat(light.getMetadata().getGeneration()).isEqualTo(3);
  }

  @Test
  void ofADatasetWhatItsLimitsCountIsKeptWhateverItsAnnotationsSay() {
    Dataset dataset = largeDataset();
    dataset.setSpec(dataset.getSpec().withCaller("alice"));
    long bytes = LimitedDatasets.tableBytes(dataset.getSpec());
    dataset.getMetadata().setAnnotations(Map.of(LimitedDatasets.TABLE_BYTES, "-1"));
    Dataset light = LightCopies.of(dataset);
    assertThat(LimitedDatasets.tableBytes(light)).isEqualTo(bytes).isPositive();
    assertThat(light.getSpec().caller()).isEqualTo("alice");
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
        AnalyticsRunSpecBuilder.builder()
            .className(spec.className())
            .language(spec.language())
            .code(BULK)
            .datasets(
                Stream.concat(Stream.of("sales-data"), Stream.generate(() -> "bulk").limit(15))
                    .toList())
            .timeoutSeconds(30)
            .caller(spec.caller())
            .tool(spec.tool())
            .requestId(spec.requestId())
            .build());
    run.setStatus(
        AnalyticsRunStatusBuilder.builder()
            .phase(RunPhase.Failed)
            .reason(RunReason.CodeError)
            .message(BULK)
            .observedGeneration(1L)
            .conditions(List.of(condition()))
            .payloadStarted(PayloadStarted.Yes)
            .timings(
                RunTimingsBuilder.builder()
                    .queued("bulk")
                    .podCreated("bulk")
                    .podRunning("bulk")
                    .bound("bulk")
                    .started("started")
                    .finished("finished")
                    .build())
            .result(
                RunResultBuilder.builder()
                    .output(BULK)
                    .outputTail(BULK)
                    .outputBytes(1)
                    .storedBytes(1)
                    .outputDigest(BULK)
                    .error(
                        RunErrorBuilder.builder()
                            .type(BULK)
                            .message(BULK)
                            .line(1)
                            .traceback(BULK)
                            .build())
                    .build())
            .build());
    return run;
  }

  private static Dataset largeDataset() {
    Dataset dataset = new Dataset();
    dataset.setMetadata(largeMetadata("sales-data"));
    Dataset small = Fixtures.dataset("sales_data", DatasetPhase.Ready);
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName("sales_data")
            .className("snapshot")
            .source(DatasetSource.inline(small.getSpec().source().format(), BULK))
            .build());
    Snapshot snapshot = Fixtures.snapshot();
    dataset.setStatus(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .observedGeneration(3L)
            .conditions(List.of(condition()))
            .snapshot(
                SnapshotBuilder.builder()
                    .id(snapshot.id())
                    .path(snapshot.path())
                    .generation(3)
                    .digest(snapshot.digest())
                    .bytes(snapshot.bytes())
                    .rows(snapshot.rows())
                    .columnCount(256)
                    .columns(
                        Collections.nCopies(
                            256,
                            SnapshotColumnBuilder.builder()
                                .name("bulk".repeat(64))
                                .type("int64")
                                .build()))
                    .notes(List.of(new SnapshotNote(NoteCode.Sheets, BULK, 0, null, null)))
                    .reading(snapshot.reading())
                    .memoryBytes(snapshot.memoryBytes())
                    .peakMemoryBytes(snapshot.peakMemoryBytes())
                    .frame(snapshot.frame())
                    .build())
            .build());
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
