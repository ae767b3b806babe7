package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class NodeSlotsTest {
  private final ManualClock clock = new ManualClock();
  private final FakeRunResources resources = new FakeRunResources();
  private final NodeSlots slots = new NodeSlots(resources, clock);

  @Test
  void anyNumberOfPodsMayWaitUntilThereIsNoNodeForOne() {
    for (int i = 0; i < 50; i++) {
      assertThat(take(i)).isTrue();
      resources.podsOfRuns.add(pod(i, NodeSlotsTest::unplaced));
    }
  }

  @Test
  void onceThereIsNoNodeForOneTenWaitAndTheOthersInTheirOrder() {
    resources.podsOfRuns.add(pod(0, NodeSlotsTest::unschedulable));
    for (int i = 1; i < 10; i++) {
      assertThat(take(i)).isTrue();
    }
    assertThat(take(11)).isFalse();
    assertThat(take(10)).as("the request of a Pod that the cache does not have counts").isFalse();
    slots.leave(run(1));
    assertThat(resources.woken).containsExactly("run-10");
    assertThat(take(11)).as("it is not its turn").isFalse();
    assertThat(take(10)).isTrue();
  }

  @Test
  void aPodThatGetsItsNodeMakesRoomForTheNext() {
    for (int i = 0; i < 10; i++) {
      resources.podsOfRuns.add(pod(i, NodeSlotsTest::unschedulable));
    }
    assertThat(take(10)).isFalse();
    Pod placed = pod(0, NodeSlotsTest::placed);
    resources.podsOfRuns.set(0, placed);
    slots.podChanged(placed);
    assertThat(resources.woken).containsExactly("run-10");
    assertThat(take(10)).isTrue();
  }

  @Test
  void aPodThatChangesLaterWakesNobody() {
    for (int i = 0; i < 10; i++) {
      resources.podsOfRuns.add(pod(i, NodeSlotsTest::unschedulable));
    }
    take(10);
    slots.podChanged(pod(0, NodeSlotsTest::unschedulable));
    slots.podChanged(pod(20, running -> running.editSpec().withNodeName("node").endSpec()));
    assertThat(resources.woken).isEmpty();
  }

  @Test
  void aPodThatIsDeletedWhileItWaitsMakesRoom() {
    for (int i = 0; i < 10; i++) {
      resources.podsOfRuns.add(pod(i, NodeSlotsTest::unschedulable));
    }
    take(10);
    resources.podsOfRuns.removeFirst();
    slots.podEnded(Samples.NAMESPACE);
    assertThat(resources.woken).containsExactly("run-10");
    assertThat(take(10)).isTrue();
  }

  @Test
  void halfAsManyAsRunMayWaitSoThatAnAutoscalerSeesThem() {
    resources.podsOfRuns.add(pod(0, NodeSlotsTest::unschedulable));
    for (int i = 100; i < 140; i++) {
      resources.podsOfRuns.add(pod(i, NodeSlotsTest::placed));
    }
    for (int i = 1; i < 20; i++) {
      assertThat(take(i)).isTrue();
    }
    assertThat(take(20)).isFalse();
  }

  @Test
  void theLimitHoldsAsLongAsTheSchedulerMayNotHaveRetriedAPodThatFits() {
    resources.podsOfRuns.add(pod(0, NodeSlotsTest::unschedulable));
    for (int i = 1; i < 10; i++) {
      resources.podsOfRuns.add(pod(i, NodeSlotsTest::unplaced));
    }
    assertThat(take(10)).isFalse();
    resources.podsOfRuns.set(0, pod(0, NodeSlotsTest::unplaced));
    clock.advance(NodeSlots.FULL_FOR);
    assertThat(take(10)).isFalse();
    clock.advance(Duration.ofMillis(1));
    assertThat(take(10)).isTrue();
  }

  private boolean take(int number) {
    return slots.take(run(number), Objects.requireNonNull(resources.runClass));
  }

  private static AnalyticsRun run(int number) {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    run.getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    return run;
  }

  private static Pod pod(int number, UnaryOperator<PodBuilder> state) {
    return state
        .apply(new PodBuilder(Samples.runningPod(7333)))
        .editMetadata()
        .addToLabels(Labels.RUN_UID, "uid-" + number)
        .endMetadata()
        .build();
  }

  private static PodBuilder unplaced(PodBuilder running) {
    return running.withNewStatus().withPhase("Pending").endStatus();
  }

  private static PodBuilder placed(PodBuilder running) {
    return unplaced(running).editSpec().withNodeName("node").endSpec();
  }

  private static PodBuilder unschedulable(PodBuilder running) {
    return unplaced(running)
        .editStatus()
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("False")
        .withReason("Unschedulable")
        .endCondition()
        .endStatus();
  }
}
