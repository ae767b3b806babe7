package dev.assay.e2e;

import static dev.assay.e2e.PoolPods.has;
import static dev.assay.e2e.PoolPods.idle;
import static dev.assay.e2e.PoolPods.uids;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens to a warm pool: no run is lost, none is started twice, and nothing is left. */
@Full
class WarmPoolFaultsE2E {
  private static final String CLASS = "e2e-warm-faults";
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String DATASET = "warm-faults";
  private static final String POLICY = "assay-runner-pods";

  private final Assay assay;
  private final Runs runs;
  private final PoolPods pods;
  private final SupervisorLogs logs;
  private final List<AnalyticsRun> created = new ArrayList<>();
  private int poolSize;

  WarmPoolFaultsE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
    this.pods = new PoolPods(assay, CLASS);
    this.logs = SupervisorLogs.ofClass(assay, CLASS);
  }

  /** As many Pods as the class has to have are idle, and there are no others. */
  @AfterEach
  void eachRunWasStartedOnceAndNothingIsLeft() {
    try {
      pods.awaitOnlyIdle(poolSize);
    } finally {
      created.forEach(runs::delete);
      // The logs of warm Pods end with them.
      Classes.remove(assay, CLASS);
      pods.await(List::isEmpty);
    }
    assertThat(created)
        .allSatisfy(run -> assertThat(logs.count(run.getMetadata().getUid(), "sent")).isEqualTo(1));
    logs.close();
  }

  @Test
  void aHundredRunsForTenPodsAllRunOnceAndTheFirstTenInThem() {
    poolOf(10);
    pods.awaitOffered(10);
    for (int number = 0; number < 100; number++) {
      create("print(%d)".formatted(number));
    }
    List<AnalyticsRunStatus> ended =
        created.stream().map(run -> runs.awaitEnd(run, PATIENCE.toSeconds())).toList();
    assertThat(ended)
        .allSatisfy(
            status ->
                assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded));
    assertThat(ended)
        .extracting(Runs::output)
        .containsExactlyElementsOf(
            IntStream.range(0, 100).mapToObj(number -> number + "\n").toList());
    assertThat(ended)
        .extracting(status -> requireNonNull(status.pod()).uid())
        .doesNotHaveDuplicates();
    assertThat(ended.subList(0, 10))
        .as("the first that were created")
        .allSatisfy(status -> assertThat(requireNonNull(status.pod()).warm()).isTrue());
  }

  @Test
  void aFullPoolIsReplacedAfterARotationOfTheKeyAndThePreviousKeyIsRemoved() {
    poolOf(4);
    Set<String> before = uids(pods.awaitIdle(4));
    OperatorKeys keys = new OperatorKeys(assay);
    keys.awaitSettled();
    keys.rotate();
    AnalyticsRunStatus during = runs.awaitEnd(create("print('during')"));
    assertThat(during.phase()).isEqualTo(RunPhase.Succeeded);
    pods.await(all -> idle(all).size() == 4 && uids(all).stream().noneMatch(before::contains));
    keys.awaitSettled();
  }

  @Test
  void aRunGetsTheRoomOfIdlePodsThatFillTheQuota() {
    poolOf(3);
    pods.awaitIdle(3);
    try (PodQuota quota = new PodQuota(assay, 3)) {
      assertRunsIn("python");
      quota.allow(4);
    }
    pods.awaitIdle(3);
  }

  @Test
  void aRunGetsTheRoomOfIdlePodsThatFillTheNode() {
    String other = CLASS + "-other";
    // The node of the development cluster, with two cores, does not have room for all of them.
    poolOf(12, WarmPoolFaultsE2E::needsMuch);
    pods.await(all -> all.stream().anyMatch(WarmPoolFaultsE2E::waitsForNode));
    Classes.likePython(assay, other, WarmPoolFaultsE2E::needsMuch);
    try {
      assertRunsIn(other);
    } finally {
      Classes.remove(assay, other);
    }
    poolSize = 2;
    Classes.change(assay, CLASS, spec -> spec.withObject("/warmPool").put("min", poolSize));
  }

  private static void needsMuch(ObjectNode spec) {
    spec.withObject("/resources").put("cpuRequest", "200m");
  }

  /** A run of another class, which can use no Pod of the pool. */
  private void assertRunsIn(String otherClass) {
    AnalyticsRun other = runs.create(otherClass, "print('room')", 30);
    try {
      AnalyticsRunStatus ended = runs.awaitEnd(other, PATIENCE.toSeconds());
      assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
      assertThat(Runs.output(ended)).isEqualTo("room\n");
    } finally {
      runs.delete(other);
    }
  }

  @Test
  void aDatasetGetsTheRoomOfIdlePodsThatFillTheQuota() {
    poolOf(3);
    pods.awaitIdle(3);
    try (PodQuota quota = new PodQuota(assay, 3)) {
      assay.uploadCsv(DATASET, "a\n1\n");
      quota.allow(4);
    } finally {
      assay.deleteDataset(DATASET);
    }
    pods.awaitIdle(3);
  }

  @Test
  void aRunWhosePodIsKilledIsNotStartedAgainAndOneThatWasGivenNoneRuns() {
    poolOf(2);
    pods.awaitIdle(2);
    AnalyticsRun killed = create("import time\nprint('begun', flush=True)\ntime.sleep(60)");
    AnalyticsRunStatus running = runs.awaitRunning(killed);
    pods.kill(requireNonNull(running.pod()).name());
    AnalyticsRunStatus lost = runs.awaitEnd(killed);
    assertThat(lost.phase()).isEqualTo(RunPhase.Failed);
    assertThat(requireNonNull(lost.pod()).uid()).isEqualTo(requireNonNull(running.pod()).uid());
    for (Pod pod : pods.awaitIdle(2)) {
      // The operator may not have seen that yet when it gives the Pod to the run.
      pods.kill(pod.getMetadata().getName());
    }
    AnalyticsRunStatus next = runs.awaitEnd(create("print('next')"));
    assertThat(next.phase()).as(next.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(next)).isEqualTo("next\n");
  }

  @Test
  void idlePodsLeaveACordonedNodeAndComeBackAfterIt() {
    poolOf(2);
    Set<String> before = uids(pods.awaitIdle(2));
    Node node = assay.kubernetes().nodes().list().getItems().getFirst();
    Programs.kubectl("cordon", node.getMetadata().getName()).orFail();
    try {
      pods.await(all -> uids(all).stream().noneMatch(before::contains));
      pods.await(all -> all.stream().anyMatch(WarmPoolFaultsE2E::waitsForNode));
    } finally {
      Programs.kubectl("uncordon", node.getMetadata().getName()).orFail();
    }
    pods.awaitIdle(2);
  }

  /** That no code is started while the network is open is what {@link OpenNetworkE2E} shows. */
  @Test
  void aNetworkPolicyThatIsDeletedWhilePodsAreIdleIsRestoredAndTheyServeRunsThen() {
    poolOf(2);
    Set<String> before = uids(pods.awaitIdle(2));
    pods.awaitOffered(2);
    String deleted = policy().require().getMetadata().getUid();
    policy().delete();
    NetworkPolicy restored =
        policy()
            .waitUntilCondition(
                found -> found != null && !found.getMetadata().getUid().equals(deleted),
                PATIENCE.toSeconds(),
                TimeUnit.SECONDS);
    assertThat(restored.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
    assertThat(restored.getSpec().getEgress()).isEmpty();
    AnalyticsRun first = create("print('first')");
    AnalyticsRunStatus ended = runs.awaitEnd(first);
    assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
    if (requireNonNull(ended.pod()).warm()) {
      // It is restored to the second, and a Pod is tested again three seconds later.
      assertThat(Instant.parse(requireNonNull(ended.timings().bound())))
          .isAfter(Instant.parse(restored.getMetadata().getCreationTimestamp()).plusSeconds(2));
    }
    assertThat(podOfWarmRun()).as("they stay").isIn(before);
  }

  @Test
  void theNextLeaderGivesRunsTheIdlePodsThatItFinds() {
    OperatorPods operators = new OperatorPods(assay);
    String leader = operators.leader();
    poolOf(2);
    Set<String> before = uids(pods.awaitIdle(2));
    pods.awaitOffered(2);
    operators.kubectl("delete", "pod", leader, "--force", "--grace-period=0");
    operators.successorOf(leader);
    assertThat(podOfWarmRun()).isIn(before);
    operators.awaitAll();
  }

  /** Runs may come before the leader gives Pods to them. */
  private String podOfWarmRun() {
    AnalyticsRun run = runs.awaitWarm(() -> create("print('warm')"), ended -> {});
    return requireNonNull(requireNonNull(run.getStatus()).pod()).uid();
  }

  private void poolOf(int min) {
    poolOf(min, spec -> {});
  }

  private void poolOf(int min, Consumer<ObjectNode> change) {
    poolSize = min;
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.withArray("/languages").removeAll().add("python");
          spec.withObject("/resources").put("memory", "256Mi").put("cpuRequest", "20m");
          spec.withObject("/timeouts").put("pendingSeconds", 900);
          spec.putObject("warmPool").put("min", min);
          change.accept(spec);
        });
  }

  private AnalyticsRun create(String code) {
    AnalyticsRun run = runs.create(CLASS, code, 60);
    created.add(run);
    return run;
  }

  private Resource<NetworkPolicy> policy() {
    return assay
        .kubernetes()
        .network()
        .networkPolicies()
        .inNamespace(assay.namespace())
        .withName(POLICY);
  }

  private static boolean waitsForNode(Pod pod) {
    return has(pod, "PodScheduled", "False");
  }
}
