package dev.assay.operator.run.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PodOfRunTest {
  private static final Pod CREATED = pod("run-" + Samples.RUN_UID, "created-uid");
  private static final Pod TAKEN = pod("warm-python-1", "taken-uid");
  private static final AnalyticsRun UNBOUND = Samples.run();
  private static final AnalyticsRun BOUND = boundTo("warm-python-1", "taken-uid");

  @Test
  void thePodOfAnUnboundRunHasTheNameThatComesFromTheRunsUid() {
    assertThat(PodOfRun.find(UNBOUND, of(CREATED, TAKEN))).contains(CREATED);
    assertThat(PodOfRun.find(UNBOUND, of(TAKEN))).isEmpty();
  }

  @Test
  void thePodOfABoundRunIsTheOneThatItsStatusNames() {
    assertThat(PodOfRun.find(BOUND, of(CREATED, TAKEN))).contains(TAKEN);
    assertThat(PodOfRun.find(BOUND, of(CREATED))).isEmpty();
  }

  @Test
  void anotherPodOfTheSameNameIsNotThatOfABoundRun() {
    assertThat(PodOfRun.find(BOUND, of(pod("warm-python-1", "newer-uid")))).isEmpty();
  }

  @Test
  void thePodThatWasCreatedForARunIsLeftOverOnceItsOwnIsGone() {
    assertThat(PodOfRun.leftover(BOUND, of(CREATED, TAKEN))).contains(TAKEN);
    assertThat(PodOfRun.leftover(BOUND, of(CREATED))).contains(CREATED);
    assertThat(PodOfRun.leftover(BOUND, of())).isEmpty();
  }

  @Test
  void aPodThatAnotherLeaderHasCreatedUnderTheSameNameIsLeftOver() {
    AnalyticsRun run = boundTo("run-" + Samples.RUN_UID, "first-uid");
    assertThat(PodOfRun.leftover(run, of(CREATED))).contains(CREATED);
  }

  @Test
  void thePodThatWasCreatedForARunWithAWarmOneIsSuperseded() {
    AnalyticsRun run =
        Samples.run(
            Samples.run().getSpec(),
            AnalyticsRunStatusBuilder.builder()
                .pod(
                    BoundPodBuilder.builder()
                        .name("warm-python-1")
                        .uid("taken-uid")
                        .warm(true)
                        .build())
                .build());
    assertThat(PodOfRun.superseded(run, of(CREATED, TAKEN))).contains(CREATED);
    assertThat(PodOfRun.leftover(run, of(CREATED, TAKEN))).contains(TAKEN);
    assertThat(PodOfRun.leftover(run, of(CREATED))).as("that is not kept").isEmpty();
  }

  @Test
  void aWarmPodThatIsThatOfAnotherRunIsNotLeftOver() {
    assertThat(PodOfRun.leftover(BOUND, of(adoptedBy("another-run")))).isEmpty();
    assertThat(PodOfRun.leftover(BOUND, of(adoptedBy(Samples.RUN_UID)))).isPresent();
  }

  private static Pod adoptedBy(String runUid) {
    return new PodBuilder(TAKEN)
        .editMetadata()
        .addToLabels(Labels.RUN_UID, runUid)
        .endMetadata()
        .build();
  }

  private static AnalyticsRun boundTo(String name, String uid) {
    return Samples.run(
        Samples.run().getSpec(),
        AnalyticsRunStatusBuilder.builder()
            .pod(BoundPodBuilder.builder().name(name).uid(uid).nonce("nonce").build())
            .build());
  }

  private static Pod pod(String name, String uid) {
    return new PodBuilder().withNewMetadata().withName(name).withUid(uid).endMetadata().build();
  }

  private static Function<String, Optional<Pod>> of(Pod... pods) {
    return name ->
        Stream.of(pods).filter(pod -> pod.getMetadata().getName().equals(name)).findFirst();
  }
}
