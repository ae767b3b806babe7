package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PinnedSnapshotTest {
  private static final Snapshot SNAPSHOT =
      SnapshotBuilder.builder().id("s-1-0").path("snapshots/s/1-0").digest("d").build();

  @Test
  void theSnapshotOfADatasetIsPinnedWithItsDisplayName() {
    assertThat(PinnedSnapshot.of(dataset("Sales 2024", SNAPSHOT)))
        .contains(new PinnedSnapshot("sales-2024", "s-1-0", "snapshots/s/1-0", "Sales 2024", null));
  }

  @Test
  void aDisplayNameThatIsTheNameIsLeftOut() {
    PinnedSnapshot pinned =
        new PinnedSnapshot("sales-2024", "s-1-0", "snapshots/s/1-0", /* displayName= */ null, null);
    assertThat(PinnedSnapshot.of(dataset("sales-2024", SNAPSHOT))).contains(pinned);
    assertThat(PinnedSnapshot.of(dataset(null, SNAPSHOT))).contains(pinned);
  }

  @Test
  void itIsUntrustedIfTheSnapshotOrTheSourceIs() {
    Dataset marked = dataset("sales-2024", SNAPSHOT);
    marked.setSpec(marked.getSpec().withSource(marked.getSpec().source().withUntrusted(true)));

    assertThat(PinnedSnapshot.of(marked).orElseThrow().untrusted())
        .as("its source was marked after it was read")
        .isTrue();
    assertThat(
            PinnedSnapshot.of(dataset("sales-2024", SNAPSHOT.withUntrusted(true)))
                .orElseThrow()
                .untrusted())
        .as("a trusted source is being read in its place")
        .isTrue();
  }

  @Test
  void aDatasetThatWasNotLoadedHasNone() {
    assertThat(PinnedSnapshot.of(dataset("Sales 2024", null))).isEmpty();
    Dataset fresh = dataset("Sales 2024", null);
    fresh.setStatus(null);
    assertThat(PinnedSnapshot.of(fresh)).isEmpty();
  }

  private static Dataset dataset(@Nullable String displayName, @Nullable Snapshot snapshot) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(new ObjectMetaBuilder().withName("sales-2024").build());
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName(displayName)
            .className("snapshot")
            .source(DatasetSourceBuilder.builder().format(DatasetFormat.CSV).build())
            .build());
    dataset.setStatus(DatasetStatusBuilder.builder().snapshot(snapshot).build());
    return dataset;
  }
}
