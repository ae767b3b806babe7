package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DatasetTransitionsTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:05.250Z");
  private static final SnapshotIdentity FIRST =
      new SnapshotIdentity(Samples.DATASET_UID, Samples.GENERATION, 0);
  private static final Snapshot OLD = Samples.snapshot("old");
  private static final Snapshot NEW = Samples.snapshot("new");

  /** It would wait for ever, first in the queue: the operator is not called for it any more. */
  @Test
  void aDatasetThatIsMarkedForDeletionIsNotActiveHoweverLongAFinalizerKeepsIt() {
    Dataset dataset = with(null);
    assertThat(DatasetTransitions.isActive(dataset)).isTrue();
    dataset.addFinalizer("example.com/keep");
    dataset.getMetadata().setDeletionTimestamp(Samples.CREATED);
    assertThat(DatasetTransitions.isActive(dataset)).isFalse();
  }

  @Test
  void aDatasetThatLoadsTellsItsGenerationAndAttempt() {
    DatasetStatus status = DatasetTransitions.loading(with(null), FIRST, "why", NOW).orElseThrow();
    assertThat(status.phase()).isEqualTo(DatasetPhase.Loading);
    assertThat(status.message()).isEqualTo("why");
    assertThat(status.observedGeneration()).isEqualTo(Samples.GENERATION);
    assertThat(status.attempt()).isZero();
    assertThat(ready(status)).isEqualTo("False");
  }

  @Test
  void theSameWordsAgainWriteNothing() {
    DatasetStatus status = DatasetTransitions.loading(with(null), FIRST, "why", NOW).orElseThrow();
    assertThat(DatasetTransitions.loading(with(status), FIRST, "why", NOW.plusSeconds(9)))
        .isEmpty();
    assertThat(DatasetTransitions.loading(with(status), FIRST, "else", NOW)).isPresent();
    SnapshotIdentity second = new SnapshotIdentity(Samples.DATASET_UID, Samples.GENERATION, 1);
    assertThat(DatasetTransitions.loading(with(status), second, "why", NOW)).isPresent();
  }

  @Test
  void overlongWordsAreCutAndStillTheSameWords() {
    String words = "x".repeat(5000);
    DatasetStatus status = DatasetTransitions.loading(with(null), FIRST, words, NOW).orElseThrow();
    assertThat(status.message()).hasSize(4096);
    assertThat(DatasetTransitions.loading(with(status), FIRST, words, NOW)).isEmpty();
  }

  @Test
  void theSnapshotThatRunsReadStaysUntilANewerOneIsComplete() {
    DatasetStatus before =
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .message("")
            .observedGeneration(2L)
            .attempt(0)
            .snapshot(OLD)
            .build();
    assertThat(DatasetTransitions.loading(with(before), FIRST, "x", NOW).orElseThrow().snapshot())
        .isEqualTo(OLD);
    assertThat(DatasetTransitions.failed(with(before), FIRST, "x", NOW).orElseThrow().snapshot())
        .isEqualTo(OLD);
    DatasetStatus ready = DatasetTransitions.ready(with(before), FIRST, NEW, NOW).orElseThrow();
    assertThat(ready.snapshot()).isEqualTo(NEW);
    assertThat(ready.phase()).isEqualTo(DatasetPhase.Ready);
    assertThat(ready(ready)).isEqualTo("True");
  }

  @Test
  void whatAnEarlierGenerationMadeIsNotTaken() {
    SnapshotIdentity earlier = new SnapshotIdentity(Samples.DATASET_UID, Samples.GENERATION - 1, 0);
    assertThat(DatasetTransitions.ready(with(null), earlier, NEW, NOW)).isEmpty();
    assertThat(DatasetTransitions.failed(with(null), earlier, "x", NOW)).isEmpty();
    assertThat(DatasetTransitions.loading(with(null), earlier, "x", NOW)).isEmpty();
  }

  @Test
  void aSettledGenerationIsNotChangedAnyMore() {
    for (DatasetPhase phase : List.of(DatasetPhase.Ready, DatasetPhase.Failed)) {
      Dataset settled =
          with(
              DatasetStatusBuilder.builder()
                  .phase(phase)
                  .message("")
                  .observedGeneration(Samples.GENERATION)
                  .attempt(0)
                  .build());
      assertThat(DatasetTransitions.isSettled(settled)).isTrue();
      assertThat(DatasetTransitions.ready(settled, FIRST, NEW, NOW)).isEmpty();
      assertThat(DatasetTransitions.failed(settled, FIRST, "x", NOW)).isEmpty();
      assertThat(DatasetTransitions.loading(settled, FIRST, "x", NOW)).isEmpty();
    }
  }

  @Test
  void aNewGenerationIsNotSettledAndBeginsItsAttemptsAnew() {
    DatasetStatus before =
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .message("")
            .observedGeneration(Samples.GENERATION - 1)
            .attempt(2)
            .snapshot(OLD)
            .build();
    assertThat(DatasetTransitions.isSettled(with(before))).isFalse();
    assertThat(SnapshotIdentity.of(with(before))).isEqualTo(FIRST);
    assertThat(DatasetTransitions.isSettled(with(null))).isFalse();
  }

  @Test
  void eachAttemptHasAPodAndADirectoryOfItsOwn() {
    DatasetStatus again =
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Loading)
            .message("")
            .observedGeneration(Samples.GENERATION)
            .attempt(1)
            .build();
    SnapshotIdentity second = SnapshotIdentity.of(with(again));
    assertThat(second.attempt()).isEqualTo(1);
    assertThat(second.podName()).isNotEqualTo(FIRST.podName()).hasSizeLessThanOrEqualTo(63);
    assertThat(second.path()).isEqualTo("snapshots/" + Samples.DATASET_UID + "/3-1");
    assertThat(FIRST.path()).isEqualTo("snapshots/" + Samples.DATASET_UID + "/3-0");
  }

  private static Dataset with(@Nullable DatasetStatus status) {
    return Samples.dataset(status);
  }

  private static String ready(DatasetStatus status) {
    List<Condition> conditions = java.util.Objects.requireNonNull(status.conditions());
    assertThat(conditions).singleElement().returns("Ready", Condition::getType);
    return conditions.getFirst().getStatus();
  }

  @Test
  void anEarlierAttemptDoesNotTakeTheCountBack() {
    DatasetStatus second =
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Loading)
            .message("")
            .observedGeneration(Samples.GENERATION)
            .attempt(1)
            .build();
    assertThat(DatasetTransitions.loading(with(second), FIRST, "waiting", NOW)).isEmpty();
  }
}
