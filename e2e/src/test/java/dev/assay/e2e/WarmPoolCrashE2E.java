package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs that are given warm Pods, each held at a step: there the leader crashes, or is succeeded
 * without knowing it, or their Pods are killed, their dataset is replaced or their class changed.
 * No code is started twice, no run is lost whose Pod is there, and no Pod is left.
 */
@Full
class WarmPoolCrashE2E {
  private static final Logger LOG = LoggerFactory.getLogger(WarmPoolCrashE2E.class);
  private static final String CLASS = "e2e-warm-crash";
  private static final String DATASET = "warm-crash";
  private static final String OTHER_DATASET = "warm-crash-other";
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /** The crash agent identifies a run by its time limit, so each run of a test has a unique one. */
  private static final int FIRST_TIME_LIMIT = 101;

  /** Its Pod is adopted while it runs. */
  private static final int LINES = 16;

  private static final String COUNT =
      """
      import time
      for n in range(%d):
          print("line", n, flush=True)
          time.sleep(0.2)
      """
          .formatted(LINES);

  private static final String LEFT = "artifacts/left.txt";

  private static final String LEAVE_FILE =
      """
      import os
      os.makedirs("artifacts", exist_ok=True)
      with open("%s", "w") as file:
          print("left", file=file)
      """
          .formatted(LEFT);

  private static final String OUTPUT =
      IntStream.range(0, LINES).mapToObj(n -> "line " + n + "\n").collect(Collectors.joining());

  private final Assay assay;
  private final Runs runs;
  private final PoolPods pods;
  private final OperatorPods operators;
  private final CrashableOperator operator;
  private final SupervisorLogs logs;
  private final String leader;
  private final List<AnalyticsRun> created = new ArrayList<>();
  private int poolSize;

  WarmPoolCrashE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
    this.pods = new PoolPods(assay, CLASS);
    this.operators = new OperatorPods(assay);
    this.operator = new CrashableOperator(assay);
    this.leader = operators.leader();
    this.logs = SupervisorLogs.ofClass(assay, CLASS);
  }

  @BeforeAll
  static void putTheAgentIn(Assay assay) {
    new CrashableOperator(assay).install();
  }

  @AfterAll
  static void takeTheAgentOut(Assay assay) {
    new CrashableOperator(assay).restore();
    assay.deleteDataset(DATASET);
    assay.deleteDataset(OTHER_DATASET);
  }

  @AfterEach
  void nothingIsLeft() {
    created.forEach(runs::delete);
    Classes.remove(assay, CLASS);
    operators.replace(leader);
    pods.await(List::isEmpty);
    logs.close();
  }

  @Test
  void runsWhoseLeaderIsKilledAreStartedOnceByTheNext() {
    Map<String, AnalyticsRun> held =
        hold(
            CrashableOperator.Then.CRASH,
            COUNT,
            "hello/before",
            "hello/after",
            "stage/before",
            "stage/after",
            "bind/before",
            "bind/after",
            "start/before",
            "start/after",
            "event/before",
            "event/after",
            "adopt/before",
            "adopt/after");
    operator.awaitCrash(leader);
    operators.successorOf(leader);
    assertThat(ended(held)).allSatisfy(WarmPoolCrashE2E::assertWhole);
    assertStartedOnceAndNothingLeft(held);
  }

  @Test
  void runsWhoseCodeHadEndedInAWarmPodEndOnceWithTheNextLeader() {
    Map<String, AnalyticsRun> held =
        hold(
            CrashableOperator.Then.CRASH,
            LEAVE_FILE + COUNT,
            "artifact/before",
            "artifact/after",
            "finish/before",
            "result/before",
            "result/after",
            "ack/before",
            "ack/after");
    operator.awaitCrash(leader);
    operators.successorOf(leader);
    assertThat(ended(held))
        .allSatisfy(WarmPoolCrashE2E::assertWhole)
        .allSatisfy(
            status ->
                assertThat(status.artifactList())
                    .extracting(RunArtifact::path)
                    .containsExactly(LEFT));
    assertStartedOnceAndNothingLeft(held);
  }

  /** Both have the Pods in memory: the next one is given runs while the other still holds some. */
  @Test
  void ofTwoLeadersWithOnePoolNeitherDoesHarm() {
    Map<String, AnalyticsRun> held =
        hold(
            CrashableOperator.Then.OUTLIVE,
            COUNT,
            "hello/before",
            "hello/after",
            "stage/before",
            "stage/after",
            "bind/before",
            "start/before",
            "adopt/before");
    operators.successorOf(leader);
    Map<String, AnalyticsRun> all = new LinkedHashMap<>(held);
    for (int number = 0; number < held.size(); number++) {
      all.put("of the next leader " + number, create(COUNT, 60));
    }
    operator.goOn(leader);
    assertThat(ended(all)).allSatisfy(WarmPoolCrashE2E::assertWhole);
    assertStartedOnceAndNothingLeft(all);
  }

  @Test
  void runsWhosePodsAreKilledBeforeTheirStartGetOthersAndThoseAtTheirStartAreLost() {
    Map<String, AnalyticsRun> held =
        hold(
            CrashableOperator.Then.HOLD,
            COUNT,
            "hello/before",
            "stage/after",
            "bind/after",
            "start/before",
            "start/after");
    operator.awaitHeld(leader);
    Map<String, BoundPod> killed = new LinkedHashMap<>();
    held.forEach((point, run) -> killed.put(point, awaitBound(run)));
    killed.values().forEach(pod -> pods.kill(pod.name()));
    operator.goOn(leader);
    Map<String, AnalyticsRunStatus> ended = endedByPoint(held);
    ended.forEach(
        (point, status) -> {
          String uid = requireNonNull(status.pod()).uid();
          if (point.startsWith("start/")) {
            assertThat(status.reason()).as(point).isEqualTo(RunReason.PodLost);
            assertThat(uid).as(point).isEqualTo(requireNonNull(killed.get(point)).uid());
          } else {
            assertWhole(status);
            assertThat(uid).as(point).isNotEqualTo(requireNonNull(killed.get(point)).uid());
          }
        });
    removeClass();
    held.forEach((point, run) -> assertStarts(point, run, point.equals("start/before") ? 0 : 1));
  }

  @Test
  void runsReadWhatWasCurrentWhenTheyWereBoundAlthoughItIsReplacedBeforeTheirStart() {
    datasetIs(DATASET, 1);
    Map<String, AnalyticsRun> held =
        holdWithData(
            CrashableOperator.Then.HOLD,
            "print(set(df['a']))",
            "hello/before",
            "bind/after",
            "start/before");
    operator.awaitHeld(leader);
    datasetIs(DATASET, 2);
    operator.goOn(leader);
    assertThat(ended(held))
        .allSatisfy(status -> assertThat(Runs.output(status)).isEqualTo("{1}\n"));
    AnalyticsRun next = create("print(set(df['a']))", 60, DATASET);
    AnalyticsRunStatus afterwards = runs.awaitEnd(next, PATIENCE.toSeconds());
    assertThat(Runs.output(afterwards)).isEqualTo("{2}\n");
    PinnedSnapshot current = afterwards.snapshotList().getFirst();
    assertThat(ended(held))
        .allSatisfy(status -> assertThat(status.snapshotList()).hasSize(1).doesNotContain(current));
    assertStartedOnceAndNothingLeft(held);
  }

  /**
   * Both Pods keep running, but cannot open the snapshots. At the crash one run is still bound to
   * its Pod, and the other is not.
   */
  @Test
  void runsThatALeaderGivesBackWhenItIsKilledAreStartedOnceByTheNext() {
    Map<String, String> read = Map.of("unbind/before", DATASET, "unbind/after", OTHER_DATASET);
    List<String> snapshots = read.values().stream().map(name -> datasetIs(name, 1)).toList();
    poolOf(read.size());
    SnapshotVolume volume = new SnapshotVolume(assay, pods.awaitIdle(read.size()).getFirst());
    snapshots.forEach(volume::takeAway);
    Map<String, AnalyticsRun> held;
    BoundPod kept;
    try {
      held =
          holdReading(
              CrashableOperator.Then.HOLD,
              COUNT,
              point -> new String[] {requireNonNull(read.get(point))},
              "unbind/before",
              "unbind/after");
      operator.awaitHeld(leader);
      kept = awaitBound(requireNonNull(held.get("unbind/before")));
      AnalyticsRunStatus waiting =
          runs.await(requireNonNull(held.get("unbind/after")), status -> status.pod() == null);
      assertThat(waiting.message()).contains("cannot open the datasets");
    } finally {
      snapshots.forEach(volume::putBack);
    }
    operator.crash(leader);
    operators.successorOf(leader);
    Map<String, AnalyticsRunStatus> ended = endedByPoint(held);
    assertThat(ended.values()).allSatisfy(WarmPoolCrashE2E::assertWhole);
    BoundPod ran = requireNonNull(requireNonNull(ended.get("unbind/before")).pod());
    assertThat(ran.uid()).isEqualTo(kept.uid());
    assertStartedOnceAndNothingLeft(held);
  }

  @Test
  void runsKeepTheirPodsAlthoughTheirClassIsChangedBeforeTheirStart() {
    Map<String, AnalyticsRun> held =
        hold(CrashableOperator.Then.HOLD, COUNT, "hello/before", "stage/after", "start/before");
    operator.awaitHeld(leader);
    Map<String, String> given = new LinkedHashMap<>();
    held.forEach((point, run) -> given.put(point, awaitBound(run).uid()));
    Set<String> taken = Set.copyOf(given.values());
    Set<String> before =
        idleBut(taken, pods.await(all -> idleBut(taken, all).size() == held.size()));
    Classes.change(assay, CLASS, spec -> spec.withObject("/resources").put("memory", "272Mi"));
    pods.await(
        all ->
            idleBut(taken, all).size() == held.size()
                && PoolPods.uids(all).stream().noneMatch(before::contains));
    operator.goOn(leader);
    endedByPoint(held)
        .forEach(
            (point, status) -> {
              assertWhole(status);
              assertThat(requireNonNull(status.pod()).uid()).as(point).isEqualTo(given.get(point));
            });
    assertStartedOnceAndNothingLeft(held);
  }

  /** The Pods that wait for a run; those that have one are not adopted yet. */
  private static Set<String> idleBut(Set<String> taken, List<Pod> all) {
    return PoolPods.uids(
        PoolPods.idle(all).stream()
            .filter(pod -> !taken.contains(pod.getMetadata().getUid()))
            .toList());
  }

  /** Creates a run for each point at which the leader holds it, and a Pod for each of them. */
  private Map<String, AnalyticsRun> hold(
      CrashableOperator.Then then, String code, String... points) {
    poolOf(points.length);
    return holdReading(then, code, point -> new String[0], points);
  }

  /** The same for runs that read the dataset. */
  private Map<String, AnalyticsRun> holdWithData(
      CrashableOperator.Then then, String code, String... points) {
    poolOf(points.length);
    return holdReading(then, code, point -> new String[] {DATASET}, points);
  }

  /**
   * Creates a run for each point at which the leader holds it.
   *
   * @param datasets what the run of a point reads
   */
  private Map<String, AnalyticsRun> holdReading(
      CrashableOperator.Then then,
      String code,
      Function<String, String[]> datasets,
      String... points) {
    Map<Integer, String> plan = new LinkedHashMap<>();
    for (String point : points) {
      plan.put(FIRST_TIME_LIMIT + plan.size(), point);
    }
    operator.arm(leader, plan, then);
    Map<String, AnalyticsRun> held = new LinkedHashMap<>();
    plan.forEach(
        (timeLimit, point) -> held.put(point, create(code, timeLimit, datasets.apply(point))));
    return held;
  }

  private void poolOf(int min) {
    poolSize = min;
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.withArray("/languages").removeAll().add("python");
          spec.withObject("/resources").put("memory", "256Mi").put("cpuRequest", "20m");
          spec.putObject("warmPool").put("min", min);
        });
    pods.awaitOffered(min);
  }

  private AnalyticsRun create(String code, int timeLimit, String... datasets) {
    AnalyticsRun run = runs.create(CLASS, code, timeLimit, datasets);
    created.add(run);
    return run;
  }

  private String datasetIs(String name, int value) {
    String csv = "a\n" + (value + "\n").repeat(1000);
    return assay.uploadCsv(name, csv);
  }

  private BoundPod awaitBound(AnalyticsRun run) {
    BoundPod pod = requireNonNull(runs.await(run, status -> status.pod() != null).pod());
    assertThat(pod.warm()).as("it was given an idle Pod").isTrue();
    return pod;
  }

  private List<AnalyticsRunStatus> ended(Map<String, AnalyticsRun> held) {
    return List.copyOf(endedByPoint(held).values());
  }

  private Map<String, AnalyticsRunStatus> endedByPoint(Map<String, AnalyticsRun> held) {
    Map<String, AnalyticsRunStatus> ended = new LinkedHashMap<>();
    held.forEach(
        (point, run) -> {
          AnalyticsRunStatus status = runs.awaitEnd(run, PATIENCE.toSeconds());
          LOG.info(
              "{} | {} | payloadStarted {} | {}",
              point,
              status.reason(),
              status.payloadStarted(),
              status.pod());
          ended.put(point, status);
        });
    return ended;
  }

  private static void assertWhole(AnalyticsRunStatus status) {
    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(status.payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(Runs.output(status)).isEqualTo(OUTPUT);
  }

  /** As many Pods as the class has to have are idle, and there are no others. */
  private void assertStartedOnceAndNothingLeft(Map<String, AnalyticsRun> started) {
    pods.awaitOnlyIdle(poolSize);
    removeClass();
    started.forEach((point, run) -> assertStarts(point, run, 1));
  }

  /** The logs of warm Pods end with them. */
  private void removeClass() {
    Classes.remove(assay, CLASS);
    pods.await(List::isEmpty);
  }

  /** Checked in the logs of the supervisors of all Pods that the class ever had. */
  private void assertStarts(String point, AnalyticsRun run, int starts) {
    assertThat(logs.count(run.getMetadata().getUid(), "sent")).as(point).isEqualTo(starts);
  }
}
