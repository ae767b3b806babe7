package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WithheldPodsTest {
  @Test
  void podsThatHaveBeenWithheldForAMomentAreNotWorthAMessage() {
    assertThat(new WithheldPods(2, List.of(), false).message()).isEmpty();
  }

  @Test
  void theMessageNamesTheFirstNodesEachOnce() {
    assertThat(new WithheldPods(3, List.of(on("b"), on("a"), on("a")), true).message())
        .contains(
            "Pods withheld from runs: 3, on a, b. Their network is open: see the Events"
                + " EgressNotRefused");
    assertThat(new WithheldPods(4, List.of(on("d"), on("c"), on("b"), on("a")), false).message())
        .contains(
            "Pods withheld from runs: 4, on a, b, c and others. Their network cannot be tested:"
                + " see the Events EgressNotRefused");
  }

  @Test
  void theMessageIsNoLongerThanAStatusMayHaveIt() {
    List<Pod> pods =
        IntStream.range(0, 5).mapToObj(number -> on("n".repeat(250) + number)).toList();
    assertThat(new WithheldPods(5, pods, true).message().orElseThrow())
        .hasSize(Bounds.MAX_POOL_MESSAGE);
  }

  private static Pod on(String node) {
    return new PodBuilder(Samples.runningPod(7333)).editSpec().withNodeName(node).endSpec().build();
  }
}
