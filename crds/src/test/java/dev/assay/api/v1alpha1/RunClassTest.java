package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RunClassTest {
  @Test
  void theDigestOfAClassIsThatOfItsPresentImage() {
    RunClass runClass = new RunClass();
    runClass.setSpec(RunClassSpecTest.spec(List.of("*"), null).with().image("runner:2").build());
    assertThat(runClass.seenImageID()).isEmpty();
    runClass.setStatus(
        RunClassStatus.EMPTY
            .with()
            .image("runner:1")
            .imageID("sha256:1")
            .imageIDSeen("2026-01-01T00:00:00Z")
            .build());
    assertThat(runClass.seenImageID()).isEmpty();
    runClass.setStatus(
        RunClassStatus.EMPTY
            .with()
            .image("runner:2")
            .imageID("sha256:2")
            .imageIDSeen("2026-01-01T00:00:00Z")
            .build());
    assertThat(runClass.seenImageID()).contains("sha256:2");
  }
}
