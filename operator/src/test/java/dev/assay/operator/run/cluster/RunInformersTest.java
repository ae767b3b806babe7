package dev.assay.operator.run.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunInformersTest {
  @Test
  void aDatasetIsReadAsItIsNowAndFromNoCache() {
    try (FakeApiServer api = new FakeApiServer()) {
      RunInformers informers = new RunInformers(api.client());
      for (String snapshot : new String[] {"old", "new"}) {
        api.put(ready(Samples.snapshot(snapshot)));
        assertThat(informers.dataset(Samples.run(), "sales"))
            .map(dataset -> requireNonNull(dataset.getStatus().snapshot()).id())
            .isEqualTo(Optional.of(snapshot));
      }
      assertThat(informers.dataset(Samples.run(), "other")).isEmpty();
    }
  }

  private static Dataset ready(Snapshot snapshot) {
    return Samples.dataset(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .message("ready")
            .observedGeneration(3L)
            .attempt(0)
            .snapshot(snapshot)
            .build());
  }
}
