package dev.assay.frontend.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.watch.ClusterException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

class LimitedDatasetsTest {
  private final FakeDatasets datasets = new FakeDatasets();

  @Test
  void aCallerHasAShareOfTheDatasetsOfANamespace() {
    LimitedDatasets limited = new LimitedDatasets(datasets, new LimitedDatasets.Limits(4, 2, 200));
    assertThat(limited.create(dataset("a", "alice", 10))).isPresent();
    assertThat(limited.create(dataset("b", "alice", 10))).isPresent();
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(dataset("c", "alice", 10)))
        .withMessage(
            "you have 2 datasets, which is the limit; delete some that are not used any more")
        .satisfies(limit -> assertThat(limit.kind()).isEqualTo(ClusterException.Kind.LIMITED));
    Dataset ofBob = limited.create(dataset("d", "bob", 10)).orElseThrow();
    assertThat(limited.create(dataset("a", "alice", 10))).as("it is there, and no more").isEmpty();
    assertThat(limited.replace(ofBob, ofBob.getSpec())).as("it takes its own place").isPresent();
  }

  @Test
  void tablesInSpecsHaveAnAverageLength() {
    LimitedDatasets limited = new LimitedDatasets(datasets, new LimitedDatasets.Limits(4, 2, 200));
    int all = 2 * LimitedDatasets.AVERAGE_BYTES;
    Dataset first = limited.create(dataset("a", "alice", all - 10)).orElseThrow();
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(dataset("b", "alice", 11)))
        .withMessageStartingWith("you have datasets with tables of %d bytes".formatted(all - 10))
        .withMessageContaining("and %d is the limit; upload this one as a file".formatted(all));
    assertThat(limited.replace(first, dataset("a", "alice", all).getSpec())).isPresent();
    assertThat(limited.create(dataset("b", "bob", all))).isPresent();
    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(dataset("c", "carol", 1)))
        .withMessageStartingWith("the namespace has datasets with tables");
  }

  private static Dataset dataset(String name, String caller, int bytes) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(new ObjectMetaBuilder().withNamespace("team-a").withName(name).build());
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .caller(caller)
            .displayName(name)
            .className("snapshot")
            .source(DatasetSource.inline(DatasetFormat.CSV, "x".repeat(bytes)))
            .build());
    return dataset;
  }
}
