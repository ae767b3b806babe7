package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Callers take turns where no node has room: the scheduler does not know them. */
@Full
@ClusterOnly("local mode has no scheduler")
class FullNodesE2E {
  private static final String CLASS = "e2e-full-nodes";
  private static final int MANY = 10;

  private final Assay assay;
  private final Runs runs;
  private final List<AnalyticsRun> created = new ArrayList<>();

  FullNodesE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @BeforeEach
  void prepare() {
    Classes.likePython(
        assay,
        CLASS,
        spec -> spec.withObject("/resources").put("memory", "256Mi").put("cpuRequest", "700m"));
  }

  @AfterEach
  void remove() {
    created.forEach(runs::delete);
    created.forEach(runs::awaitNoPod);
    Classes.remove(assay, CLASS);
  }

  @Test
  void theOneRunOfACallerWaitsForOneOfAnotherCallersManyAndNotForAll() {
    List<AnalyticsRun> busy = new ArrayList<>();
    busy.add(create("many", "import time; time.sleep(300)"));
    runs.awaitRunning(busy.getFirst());
    busy.add(create("many", "import time; time.sleep(300)"));
    busy.add(create("many", "import time; time.sleep(300)"));
    for (int i = 0; i < MANY; i++) {
      create("many", "print(1)");
    }
    awaitPodsWithoutNode(count -> count >= MANY);
    AnalyticsRun single = create("single", "print(1)");
    awaitPodsWithoutNode(count -> count == 2);
    busy.forEach(runs::cancel);
    AnalyticsRunStatus ended = runs.awaitEnd(single);
    List<AnalyticsRunStatus> others =
        created.stream()
            .filter(run -> !busy.contains(run) && !run.equals(single))
            .map(runs::awaitEnd)
            .toList();
    assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(others)
        .as("who gave up a Pod gets another")
        .extracting(AnalyticsRunStatus::phase)
        .containsOnly(RunPhase.Succeeded);
    assertThat(others).anyMatch(other -> bound(other).isAfter(bound(ended)));
  }

  private static Instant bound(AnalyticsRunStatus status) {
    return Instant.parse(requireNonNull(requireNonNull(status.timings()).bound()));
  }

  private AnalyticsRun create(String caller, String code) {
    AnalyticsRun run = runs.createFor(caller, CLASS, code, 400);
    created.add(run);
    return run;
  }

  private void awaitPodsWithoutNode(IntPredicate wanted) {
    long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    List<Pod> found = podsWithoutNode();
    while (!wanted.test(found.size())) {
      assertThat(System.nanoTime()).as("Pods without a node: %s", found.size()).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      found = podsWithoutNode();
    }
  }

  private List<Pod> podsWithoutNode() {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withLabel("assay.dev/run-class", CLASS)
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getSpec().getNodeName() == null)
        .toList();
  }
}
