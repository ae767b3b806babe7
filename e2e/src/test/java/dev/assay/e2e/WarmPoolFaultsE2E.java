package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens to a warm pool: no run is lost, none is started twice, and nothing is left. */
@Full
class WarmPoolFaultsE2E {
  private static final String CLASS = "e2e-warm-faults";
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String WARM = "assay.dev/warm-pool";

  private final Assay assay;
  private final Runs runs;
  private final List<AnalyticsRun> created = new ArrayList<>();

  WarmPoolFaultsE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @AfterEach
  void remove() {
    created.forEach(runs::delete);
    Classes.remove(assay, CLASS);
    awaitPods(List::isEmpty);
  }

  @Test
  void aHundredRunsForTenPodsAllRunOnceAndEachInItsOwnPod() {
    poolOf(10);
    awaitOffered(10);
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
    assertThat(ended.stream().filter(status -> requireNonNull(status.pod()).warm()).count())
        .as("those that were idle, and perhaps some that were started meanwhile")
        .isGreaterThanOrEqualTo(10);
  }

  @Test
  void aFullPoolIsReplacedAfterARotationOfTheKeyAndThePreviousKeyIsRemoved() {
    poolOf(4);
    Set<String> before = uids(awaitIdle(4));
    OperatorKeys keys = new OperatorKeys(assay);
    keys.awaitSettled();
    keys.rotate();
    AnalyticsRunStatus during = runs.awaitEnd(create("print('during')"));
    assertThat(during.phase()).isEqualTo(RunPhase.Succeeded);
    awaitPods(pods -> idle(pods).size() == 4 && uids(pods).stream().noneMatch(before::contains));
    keys.awaitSettled();
  }

  @Test
  void aRunGetsTheRoomOfIdlePodsThatFillTheQuota() {
    poolOf(3);
    awaitIdle(3);
    try (PodQuota quota = new PodQuota(assay, 3)) {
      // It can use no Pod of the pool.
      AnalyticsRun other = runs.create("python", "print('room')", 30);
      created.add(other);
      AnalyticsRunStatus ended = runs.awaitEnd(other);
      assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
      assertThat(Runs.output(ended)).isEqualTo("room\n");
      quota.allow(4);
    }
    awaitIdle(3);
  }

  @Test
  void aRunWhosePodIsKilledIsNotStartedAgainAndOneThatWasGivenNoneRuns() {
    poolOf(2);
    awaitIdle(2);
    AnalyticsRun killed = create("import time\nprint('begun', flush=True)\ntime.sleep(60)");
    AnalyticsRunStatus running = runs.awaitRunning(killed);
    kill(requireNonNull(running.pod()).name());
    AnalyticsRunStatus lost = runs.awaitEnd(killed);
    assertThat(lost.phase()).isEqualTo(RunPhase.Failed);
    assertThat(requireNonNull(lost.pod()).uid()).isEqualTo(requireNonNull(running.pod()).uid());
    for (Pod pod : awaitIdle(2)) {
      // The operator may not have seen that yet when it gives the Pod to the run.
      kill(pod.getMetadata().getName());
    }
    AnalyticsRunStatus next = runs.awaitEnd(create("print('next')"));
    assertThat(next.phase()).as(next.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(next)).isEqualTo("next\n");
  }

  @Test
  void idlePodsLeaveACordonedNodeAndComeBackAfterIt() {
    poolOf(2);
    Set<String> before = uids(awaitIdle(2));
    Node node = assay.kubernetes().nodes().list().getItems().getFirst();
    Programs.kubectl("cordon", node.getMetadata().getName()).orFail();
    try {
      awaitPods(pods -> uids(pods).stream().noneMatch(before::contains));
      awaitPods(pods -> pods.stream().anyMatch(WarmPoolFaultsE2E::waitsForNode));
    } finally {
      Programs.kubectl("uncordon", node.getMetadata().getName()).orFail();
    }
    awaitIdle(2);
  }

  private void poolOf(int min) {
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.withArray("/languages").removeAll().add("python");
          spec.withObject("/resources").put("memory", "256Mi").put("cpuRequest", "20m");
          spec.withObject("/timeouts").put("pendingSeconds", 900);
          spec.putObject("warmPool").put("min", min);
        });
  }

  private AnalyticsRun create(String code) {
    AnalyticsRun run = runs.create(CLASS, code, 60);
    created.add(run);
    return run;
  }

  private void kill(String pod) {
    Programs.kubectl("-n", assay.namespace(), "delete", "pod", pod, "--force", "--grace-period=0")
        .orFail();
  }

  /** Waits until so many Pods of the pool are ready. */
  private List<Pod> awaitIdle(int count) {
    return idle(awaitPods(pods -> idle(pods).size() == count));
  }

  /** Waits until the leader gives so many Pods to runs: it asks each whether it is ready. */
  private void awaitOffered(int count) {
    Classes.awaitPools(assay, CLASS, PATIENCE, pools -> pools.ready() == count);
  }

  private List<Pod> awaitPods(Predicate<List<Pod>> fits) {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withLabel("assay.dev/run-class", CLASS)
        .informOnCondition(fits::test)
        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .join();
  }

  private static List<Pod> idle(List<Pod> pods) {
    return pods.stream()
        .filter(pod -> pod.getMetadata().getLabels().containsKey(WARM))
        .filter(pod -> !pod.getMetadata().getLabels().containsKey(Runs.RUN_UID))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> has(pod, "Ready", "True"))
        .toList();
  }

  private static boolean waitsForNode(Pod pod) {
    return has(pod, "PodScheduled", "False");
  }

  private static boolean has(Pod pod, String type, String status) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition -> condition.getType().equals(type) && condition.getStatus().equals(status));
  }

  private static Set<String> uids(List<Pod> pods) {
    return pods.stream()
        .map(pod -> Objects.requireNonNull(pod.getMetadata().getUid()))
        .collect(Collectors.toSet());
  }
}
