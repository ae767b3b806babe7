package dev.assay.operator.run.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.UnschedulablePods;
import dev.assay.operator.kubernetes.UnschedulablePods.CallersPod;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.run.fixture.FakeRunResources;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeSlotsTest {
  private final ManualClock clock = new ManualClock();
  private final FakeRunResources resources = new FakeRunResources();
  private final UnschedulablePods unschedulable = new UnschedulablePods(clock);
  private final NodeSlots slots = new NodeSlots(resources, unschedulable, clock);
  private final RunClass python = Samples.runClass(Samples.classSpec(Purpose.Run));
  private final List<Pod> pods = new ArrayList<>();

  NodeSlotsTest() {
    resources.podsOfRuns.put("python", pods);
    pods.add(pod(100, NodeSlotsTest::placed));
  }

  @Test
  void fivePodsWaitForTheSchedulerAndTheOthersInTheirOrder() {
    pods.add(pod(0, NodeSlotsTest::unplaced));
    for (int i = 1; i < 5; i++) {
      assertThat(take(i)).isTrue();
    }
    assertThat(take(6)).isFalse();
    assertThat(take(5)).as("the request of a Pod that the cache does not have counts").isFalse();
    slots.leave(run(2));
    assertThat(resources.woken).containsExactly("run-5");
    assertThat(take(6)).as("it is not its turn").isFalse();
    assertThat(take(5)).isTrue();
  }

  @Test
  void noneIsRequestedWhileThereIsNoNodeForOne() {
    pods.add(pod(0, this::unschedulable));
    assertThat(take(1)).isFalse();
    Pod placed = pod(0, NodeSlotsTest::placed);
    pods.set(1, placed);
    slots.podChanged(placed);
    assertThat(resources.woken).containsExactly("run-1");
    for (int i = 1; i < 6; i++) {
      assertThat(take(i)).isTrue();
    }
  }

  @Test
  void theClassesOfANamespaceDoNotHoldEachOtherUp() {
    pods.add(pod(0, this::unschedulable));
    assertThat(take(10)).isFalse();
    RunClass other = Samples.runClass(Samples.classSpec(Purpose.Run));
    other.getMetadata().setName("other");
    assertThat(slots.take(run(11), other)).isTrue();
  }

  @Test
  void aPodThatGetsItsNodeMakesRoomForTheNext() {
    for (int i = 0; i < 5; i++) {
      pods.add(pod(i, NodeSlotsTest::unplaced));
    }
    assertThat(take(5)).isFalse();
    Pod placed = pod(0, NodeSlotsTest::placed);
    pods.set(1, placed);
    slots.podChanged(placed);
    assertThat(resources.woken).containsExactly("run-5");
    assertThat(take(5)).isTrue();
  }

  @Test
  void aPodThatChangesBeforeOrLaterWakesNobody() {
    pods.add(pod(0, this::unschedulable));
    take(10);
    slots.podChanged(pod(0, this::unschedulable));
    slots.podChanged(pod(20, running -> running.editSpec().withNodeName("node").endSpec()));
    assertThat(resources.woken).isEmpty();
  }

  @Test
  void aPodThatIsDeletedWhileItWaitsMakesRoom() {
    pods.add(pod(0, this::unschedulable));
    take(1);
    pods.removeLast();
    slots.podEnded(Samples.NAMESPACE);
    assertThat(resources.woken).containsExactly("run-1");
    assertThat(take(1)).isTrue();
  }

  @Test
  void aQuarterAsManyAsRunMayWait() {
    for (int i = 101; i < 140; i++) {
      pods.add(pod(i, NodeSlotsTest::placed));
    }
    for (int i = 0; i < 10; i++) {
      assertThat(take(i)).isTrue();
    }
    assertThat(take(10)).isFalse();
  }

  @Test
  void afterAPauseWithoutAPlacementSomeAreRequestedAndLaterAllSoThatAnAutoscalerSeesThem() {
    pods.add(pod(0, this::unschedulable));
    assertThat(take(1)).isFalse();
    clock.advance(NodeSlots.PAUSE);
    for (int i = 1; i < 5; i++) {
      assertThat(take(i)).isTrue();
    }
    assertThat(take(5)).isFalse();
    clock.advance(NodeSlots.MAX_PAUSE.minus(NodeSlots.PAUSE));
    for (int i = 5; i < 20; i++) {
      assertThat(take(i)).isTrue();
    }
  }

  @Test
  void aPodThatIsPlacedEndsThePauseEvenIfItIsGoneSoon() {
    pods.add(pod(0, this::unschedulable));
    assertThat(take(1)).isFalse();
    clock.advance(NodeSlots.MAX_PAUSE);
    slots.podChanged(pod(100, NodeSlotsTest::placed));
    assertThat(take(1)).isFalse();
    clock.advance(NodeSlots.PAUSE);
    assertThat(take(1)).isTrue();
  }

  @Test
  void podsThatTheSchedulerDoesNotAnswerForCountForAWhile() {
    for (int i = 0; i < 5; i++) {
      pods.add(pod(i, NodeSlotsTest::unplaced));
    }
    clock.advance(NodeSlots.COUNTS_UNANSWERED_FOR.minusSeconds(1));
    assertThat(take(5)).isFalse();
    clock.advance(Duration.ofSeconds(1));
    assertThat(take(5)).isTrue();
  }

  @Test
  void podsThatASchedulingGateHoldsBackDoNotCount() {
    for (int i = 0; i < 5; i++) {
      pods.add(pod(i, NodeSlotsTest::gated));
    }
    assertThat(take(5)).isTrue();
  }

  @Test
  void aPodThatNoNodeIsRightForStopsCounting() {
    pods.add(pod(0, this::unschedulable));
    clock.advance(NodeSlots.COUNTS_FOR.minusSeconds(1));
    slots.podChanged(pod(100, NodeSlotsTest::placed));
    assertThat(take(1)).isFalse();
    clock.advance(Duration.ofSeconds(1));
    assertThat(take(1)).isTrue();
  }

  @Test
  void theFirstLooksAgainWhenSomeMayBeRequestedAndTheOthersLessOften() {
    pods.add(pod(0, this::unschedulable));
    take(1);
    take(2);
    assertThat(slots.look(run(1))).isEqualTo(NodeSlots.PAUSE);
    clock.advance(Duration.ofMinutes(1));
    assertThat(slots.look(run(2))).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void aCallerWhoHasAPodThatWaitsDoesNotHoldUpAnother() {
    pods.add(pod(0, this::unschedulable));
    assertThat(take(1)).isFalse();
    assertThat(slots.take(of("other", 2), python)).isTrue();
  }

  @Test
  void whileNoNodeIsFoundForAnotherCallerEachHasOnePodThatWaits() {
    clock.advance(NodeSlots.MAX_PAUSE);
    pods.add(pod(of("other", 0), this::unschedulable));
    assertThat(take(1)).isTrue();
    assertThat(take(2)).isFalse();
    clock.advance(NodeSlots.COUNTS_FOR.plus(NodeSlots.MAX_PAUSE));
    assertThat(take(2)).as("however long they have waited").isFalse();
    pods.removeLast();
    pods.add(pod(1, this::unschedulable));
    slots.podEnded(Samples.NAMESPACE);
    assertThat(take(2)).as("the other may come again").isFalse();
    clock.advance(NodeSlots.MAX_PAUSE);
    assertThat(take(2)).isTrue();
  }

  @Test
  void podsOfOtherClassesAndOfDatasetsHaveTurnsToo() {
    List<Pod> large = new ArrayList<>();
    resources.podsOfRuns.put("python-large", large);
    large.add(pod(of("other", 0), this::unschedulable));
    assertThat(take(1)).isTrue();
    assertThat(take(2)).as("a run of another class waits").isFalse();
    slots.leave(run(1));
    large.clear();
    clock.advance(NodeSlots.MAX_PAUSE);
    waitingDataset();
    assertThat(take(2)).isTrue();
    assertThat(take(3)).as("a dataset waits").isFalse();
  }

  @Test
  void eachClassKeepsOnePodOfACallerWhileADatasetOfAnotherWaits() {
    List<Pod> large = new ArrayList<>();
    resources.podsOfRuns.put("python-large", large);
    for (int i = 0; i < 2; i++) {
      pods.add(pod(i, this::unschedulable));
      large.add(
          pod(10 + i, this::unschedulable)
              .edit()
              .editMetadata()
              .addToLabels(Labels.RUN_CLASS, "python-large")
              .endMetadata()
              .build());
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(slots.yields(run(1))).isFalse();
    waitingDataset();
    assertThat(slots.yields(run(0))).isFalse();
    assertThat(slots.yields(run(1))).isTrue();
    assertThat(slots.yields(run(10))).isFalse();
    assertThat(slots.yields(run(11))).isTrue();
  }

  @Test
  void whoseNodeIsNotFoundEitherYieldsUnlessItIsTheOldestOfItsCaller() {
    for (int i = 0; i < 3; i++) {
      pods.add(pod(i, this::unschedulable));
      clock.advance(Duration.ofSeconds(1));
    }
    slots.podChanged(pods.getLast());
    assertThat(resources.woken).as("one caller needs no turns").isEmpty();
    assertThat(slots.yields(run(2))).isFalse();
    pods.add(pod(of("other", 10), this::unschedulable));
    slots.podChanged(pods.getLast());
    assertThat(resources.woken).containsExactly("run-1", "run-2");
    assertThat(slots.yields(run(0))).isFalse();
    assertThat(slots.yields(run(1))).isTrue();
    assertThat(slots.yields(of("other", 10))).isFalse();
  }

  @Test
  void aPodWithTheLabelsOfARunThatDoesNotOwnItDoesNotCount() {
    pods.add(pod(0, this::unschedulable));
    resources.owners.clear();
    assertThat(take(1)).isTrue();
  }

  @Test
  void aPodOfAnotherClassThatFitsNoNodeCountsForAMinute() {
    waitingDataset();
    assertThat(take(1)).isTrue();
    assertThat(take(2)).isFalse();
    clock.advance(NodeSlots.COUNTS_FOR.plus(NodeSlots.MAX_PAUSE));
    assertThat(take(2)).isTrue();
  }

  @Test
  void runsYieldToADatasetThatComesLater() {
    pods.add(pod(0, this::unschedulable));
    clock.advance(Duration.ofSeconds(1));
    pods.add(pod(1, this::unschedulable));
    waitingDataset();

    unschedulable.found(Samples.NAMESPACE);

    assertThat(resources.woken).containsExactly("run-1");
  }

  /** No node is found for the Pod of a dataset of another caller. */
  private void waitingDataset() {
    Pod pod =
        pod(99, this::unschedulable)
            .edit()
            .editMetadata()
            .addToLabels(Labels.RUN_CLASS, "snapshot")
            .endMetadata()
            .build();
    unschedulable.addSource(namespace -> Stream.of(new CallersPod(pod, "loader")));
  }

  private boolean take(int number) {
    return slots.take(run(number), python);
  }

  private static AnalyticsRun run(int number) {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    run.getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    return run;
  }

  private static AnalyticsRun of(String caller, int number) {
    AnalyticsRun run = run(number);
    run.setSpec(run.getSpec().withCaller(caller));
    return run;
  }

  private Pod pod(int number, UnaryOperator<PodBuilder> state) {
    return pod(run(number), state);
  }

  /** The Pod of a run, created now. */
  private Pod pod(AnalyticsRun run, UnaryOperator<PodBuilder> state) {
    resources.owners.put(run.getMetadata().getUid(), run);
    return state
        .apply(new PodBuilder(Samples.runningPod(7333)))
        .editMetadata()
        .withCreationTimestamp(clock.instant().toString())
        .withName(PodOfRun.createdName(run))
        .addToLabels(Labels.RUN_UID, run.getMetadata().getUid())
        .addToLabels(Labels.RUN_CLASS, "python")
        .endMetadata()
        .build();
  }

  private static PodBuilder unplaced(PodBuilder running) {
    return running.withNewStatus().withPhase("Pending").endStatus();
  }

  private static PodBuilder gated(PodBuilder running) {
    return unplaced(running)
        .editStatus()
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("False")
        .withReason("SchedulingGated")
        .endCondition()
        .endStatus();
  }

  private static PodBuilder placed(PodBuilder running) {
    return unplaced(running).editSpec().withNodeName("node").endSpec();
  }

  private PodBuilder unschedulable(PodBuilder running) {
    return Samples.unschedulable(running, "0/1 nodes are available")
        .editStatus()
        .editFirstCondition()
        .withLastTransitionTime(clock.instant().toString())
        .endCondition()
        .endStatus();
  }
}
