package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.Samples;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SnapshotsInUseTest {
  private static final long GENERATION = Samples.GENERATION;
  private static final String BEING_MADE =
      "snapshots/" + Samples.DATASET_UID + "/" + GENERATION + "-1";
  private static final Snapshot CURRENT = Samples.snapshot("d/1-0");

  @Test
  void ofADatasetThatIsReadyItIsWhatRunsRead() {
    assertThat(SnapshotsInUse.by(dataset(DatasetPhase.Ready, GENERATION, CURRENT)))
        .containsExactly("snapshots/d/1-0");
  }

  @ParameterizedTest
  @EnumSource(
      value = DatasetPhase.class,
      names = {"Ready", "Failed"},
      mode = EnumSource.Mode.EXCLUDE)
  void whileAReplacementIsMadeItIsBoth(DatasetPhase phase) {
    assertThat(SnapshotsInUse.by(dataset(phase, GENERATION, CURRENT)))
        .containsExactly("snapshots/d/1-0", BEING_MADE);
  }

  @Test
  void ofAChangeThatNobodyHasSeenItIsTheFirstAttempt() {
    assertThat(SnapshotsInUse.by(dataset(DatasetPhase.Ready, GENERATION - 1, CURRENT)))
        .containsExactly(
            "snapshots/d/1-0", "snapshots/" + Samples.DATASET_UID + "/" + GENERATION + "-0");
    assertThat(SnapshotsInUse.by(Samples.dataset(null)))
        .containsExactly("snapshots/" + Samples.DATASET_UID + "/" + GENERATION + "-0");
  }

  @Test
  void ofALoadThatFailedNothingIsInUseButWhatWasThereBefore() {
    assertThat(SnapshotsInUse.by(dataset(DatasetPhase.Failed, GENERATION, CURRENT)))
        .containsExactly("snapshots/d/1-0");
    assertThat(SnapshotsInUse.by(dataset(DatasetPhase.Failed, GENERATION, null))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(RunPhase.class)
  void aRunNeedsWhatItIsPinnedToUntilItHasEnded(RunPhase phase) {
    assertThat(SnapshotsInUse.by(Samples.run(Samples.spec("", null, null, null), pinned(phase))))
        .isEqualTo(phase.isFinal() ? List.of() : List.of("snapshots/d/1-0", "snapshots/e/4-2"));
  }

  @Test
  void aRunThatIsPinnedToNothingNeedsNothing() {
    assertThat(SnapshotsInUse.by(Samples.run("sales"))).isEmpty();
  }

  @Test
  void aPodNeedsWhatItMounts() {
    assertThat(SnapshotsInUse.by(CleanupFixture.runPod("run-1", "snapshots/d/1-0")))
        .containsExactly("snapshots/d/1-0");
    assertThat(SnapshotsInUse.by(Samples.runningPod(1))).isEmpty();
  }

  private static Dataset dataset(DatasetPhase phase, long observed, @Nullable Snapshot snapshot) {
    return Samples.dataset(
        DatasetStatusBuilder.builder()
            .phase(phase)
            .message("")
            .observedGeneration(observed)
            .conditions(List.of())
            .attempt(1)
            .snapshot(snapshot)
            .build());
  }

  private static AnalyticsRunStatus pinned(RunPhase phase) {
    return CleanupFixture.pinned(
        phase,
        new PinnedSnapshot("sales", "d-1-0", "snapshots/d/1-0", null, null),
        new PinnedSnapshot("costs", "e-4-2", "snapshots/e/4-2", null, null));
  }
}
