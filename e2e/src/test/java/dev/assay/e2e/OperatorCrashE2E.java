package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of two operators crashes while runs are at each of their steps. Their callers get the
 * complete result or a correct error, and no code is started twice.
 */
@Full
class OperatorCrashE2E {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorCrashE2E.class);

  /** The crash agent identifies a run by its time limit, so each run of a test has a unique one. */
  private static final int FIRST_TIME_LIMIT = 101;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Assay assay;
  private final OperatorPods operators;
  private final CrashableOperator operator;
  private final SupervisorLogs logs;
  private final String leader;

  OperatorCrashE2E(Assay assay) {
    this.assay = assay;
    operators = new OperatorPods(assay);
    operator = new CrashableOperator(assay);
    leader = operators.leader();
    logs = new SupervisorLogs(assay);
  }

  @BeforeAll
  static void putTheAgentIn(Assay assay) {
    Samples.sales(assay);
    new CrashableOperator(assay).install();
  }

  @AfterAll
  static void takeTheAgentOut(Assay assay) {
    new CrashableOperator(assay).restore();
  }

  @AfterEach
  void replaceTheLeader() {
    operators.replace(leader);
    threads.close();
    logs.close();
  }

  @Test
  void runsThatWereNotStartedYetAreStartedOnceByTheNextOperator() {
    Map<String, CountingRun> runs =
        crashAt(
            "take/before",
            "take/after",
            "hello/before",
            "hello/after",
            "stage/before",
            "stage/after",
            "bind/before",
            "bind/after");
    operators.successorOf(leader);
    runs.forEach(this::assertWhole);
  }

  @Test
  void runsThatWereStartedAreFollowedToTheirEndByTheNextOperator() {
    Map<String, CountingRun> runs =
        crashAt("start/before", "start/after", "event/before", "event/after");
    operators.successorOf(leader);
    runs.forEach(this::assertWhole);
  }

  @Test
  void runsWhoseCodeHadEndedEndOnceWithTheNextOperator() {
    Map<String, CountingRun> runs =
        crashAt(
            "artifact/before",
            "artifact/after",
            "finish/before",
            "result/before",
            "result/after",
            "ack/before",
            "ack/after");
    operators.successorOf(leader);
    runs.forEach(this::assertWhole);
  }

  @Test
  void runsWhosePodsAreLostWithTheOperatorTellWhatIsKnown() {
    Map<String, CountingRun> runs =
        crashAt(
            "hello/after",
            "bind/after",
            "start/after",
            "event/after",
            "artifact/after",
            "result/before");
    runs.values().forEach(run -> run.deletePods(assay));
    operators.successorOf(leader);
    runs.forEach(
        (point, run) -> {
          switch (point) {
            case "hello/after" -> assertWhole(point, run);
            case "bind/after" -> assertLost(point, run, PayloadStarted.Unknown, 0, "");
            case "start/after" -> assertLost(point, run, PayloadStarted.Unknown, 1, "");
            case "event/after" -> assertLost(point, run, PayloadStarted.Yes, 1, "line 0\n");
            default -> {
              assertLost(point, run, PayloadStarted.Yes, 1, run.wholeOutput());
              assertThat(run.status(assay).artifactList()).as(point).isEqualTo(CountingRun.files());
            }
          }
        });
  }

  @Test
  void aLeaderThatDoesNotKnowThatItWasSucceededStartsNoCodeAgain() {
    assertOutlivedLeaderDoesNoHarm(
        "take/before", "hello/after", "stage/before", "bind/before", "start/before");
  }

  @Test
  void aLeaderThatDoesNotKnowThatItWasSucceededEndsNoRunOtherwise() {
    assertOutlivedLeaderDoesNoHarm(
        "event/before", "artifact/before", "artifact/after", "result/before", "ack/before");
  }

  /**
   * At few points at a time: each run that is held keeps its Pod, and a node has room for seven.
   */
  private void assertOutlivedLeaderDoesNoHarm(String... points) {
    Map<String, CountingRun> runs = hold(CrashableOperator.Then.OUTLIVE, points);
    operators.successorOf(leader);
    operator.goOn(leader);
    runs.forEach(this::assertWhole);
  }

  @Test
  void aLeaderThatIsToldToEndGivesItsLeaseUpAndItsRunsGoOn() {
    CountingRun run = slowRun(FIRST_TIME_LIMIT);
    run.awaitRunning(assay);
    try (LeaseChanges changes = new LeaseChanges(operators.lease(), leader)) {
      operators.kubectl("delete", "pod", leader, "--wait=false");
      assertThat(changes.taken().getSpec().getAcquireTime()).isBefore(changes.endOfTerm());
      assertThat(changes.wasReleased()).isTrue();
    }
    assertWhole("SIGTERM", run);
  }

  @Test
  void runsOfALeaderWhosePodIsDeletedByForceGoOn() {
    CountingRun run = slowRun(FIRST_TIME_LIMIT);
    run.awaitRunning(assay);
    operators.kubectl("delete", "pod", leader, "--force", "--grace-period=0");
    operators.successorOf(leader);
    assertWhole("deleted by force", run);
  }

  /**
   * Makes the leader crash when each of these runs is at its point. All of their Pods need room on
   * the node at once.
   */
  private Map<String, CountingRun> crashAt(String... points) {
    Map<String, CountingRun> runs = hold(CrashableOperator.Then.CRASH, points);
    operator.awaitCrash(leader);
    return runs;
  }

  /** Creates a run for each point at which the leader holds it. */
  private Map<String, CountingRun> hold(CrashableOperator.Then then, String... points) {
    Map<Integer, String> plan = new LinkedHashMap<>();
    for (String point : points) {
      plan.put(FIRST_TIME_LIMIT + plan.size(), point);
    }
    operator.arm(leader, plan, then);
    Map<String, CountingRun> runs = new LinkedHashMap<>();
    plan.forEach(
        (timeLimit, point) ->
            runs.put(point, point.startsWith("event") ? slowRun(timeLimit) : quickRun(timeLimit)));
    return runs;
  }

  private CountingRun quickRun(int timeLimit) {
    return CountingRun.call(assay, threads, timeLimit, 16, 0.2);
  }

  /** A run that is still in progress when the next operator leads. */
  private CountingRun slowRun(int timeLimit) {
    return CountingRun.call(assay, threads, timeLimit, 30, 1);
  }

  private void assertWhole(String point, CountingRun run) {
    Reply reply = run.reply().join();
    AnalyticsRunStatus status = run.status(assay);
    assertThat(reply.text()).as(point).startsWith(run.wholeOutput() + "[files in assay://runs/");
    assertThat(reply.isError()).as(point).isFalse();
    assertThat(status.phase()).as(point).isEqualTo(RunPhase.Succeeded);
    assertThat(status.payloadStarted()).as(point).isEqualTo(PayloadStarted.Yes);
    assertThat(status.artifactList()).as(point).isEqualTo(CountingRun.files());
    assertStarts(point, run, 1);
  }

  /** Checks that the caller gets this error, after the stored output. */
  private void assertLost(
      String point, CountingRun run, PayloadStarted started, int starts, String beginning) {
    Reply reply = run.reply().join();
    AnalyticsRunStatus status = run.status(assay);
    assertThat(reply.isError()).as(point).isTrue();
    assertThat(reply.text())
        .as(point)
        .startsWith(beginning)
        .contains(
            "EXECUTION ERROR: PodLost",
            started == PayloadStarted.Yes
                ? "The code was started, but no result was received"
                : "It is unknown whether the code was started");
    assertThat(status.reason()).as(point).isEqualTo(RunReason.PodLost);
    assertThat(status.payloadStarted()).as(point).isEqualTo(started);
    assertStarts(point, run, starts);
  }

  /** Checked in the logs of the supervisors of all Pods that the run ever had. */
  private void assertStarts(String point, CountingRun run, int starts) {
    AnalyticsRun ended = run.find(assay);
    new Runs(assay).awaitNoPod(ended);
    String uid = ended.getMetadata().getUid();
    assertThat(logs.count(uid, "sent")).as(point).isEqualTo(starts);
    assertThat(logs.count(uid, "started")).as(point).isEqualTo(starts);
    AnalyticsRunStatus status = run.status(assay);
    LOG.info(
        "{} | {} | payloadStarted {} | {} start(s)",
        point,
        status.reason(),
        status.payloadStarted(),
        starts);
  }
}
