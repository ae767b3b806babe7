package dev.assay.operator.run;

import static dev.assay.operator.Samples.NAMESPACE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTimeouts;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.CutLine;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.kubernetes.ApiClients;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.AwaitedAnswers;
import dev.assay.operator.pool.IdlePods;
import dev.assay.operator.pool.PoolTemplate;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.execution.ExecutionFixture;
import dev.assay.operator.run.execution.RunJob;
import dev.assay.operator.run.fixture.LiveRunResources;
import dev.assay.operator.run.fixture.PoolRunner;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.ToolCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A run, a pool with two Pods, and a step of the claim at which one of two operator processes is
 * stopped, the Pod that the run was given is killed, or a dataset or the class changes. The code is
 * started once, the run ends well, and no Pod that was given a job is left.
 */
@Tag("slow")
class WarmTakeoverTest {
  private static final String OTHER_RUN = "run-2";
  private static final int MAX_ROUNDS = 20;
  private static final long PATIENCE_SECONDS = 20;
  private static final RunClass CLASS =
      Samples.runClass(
          Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(2, null, null, null)));

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  private final EgressTarget egressTarget = new EgressTarget(null);
  private final FakeOutputStore store = new FakeOutputStore();
  private final Map<String, PoolRunner> runners = new HashMap<>();
  private final List<AutoCloseable> toClose = new ArrayList<>();

  /** The lines of the first process. */
  private final List<CutLine> lines = new ArrayList<>();

  /** The step at which the first process is stopped; later requests of the same kind pass. */
  private volatile String fatal = "";

  /** What happens at that step. */
  private enum Then {
    PROCESS_IS_KILLED,
    PROCESS_IS_OUTLIVED,
    POD_IS_KILLED,
    OBJECTS_CHANGE
  }

  private volatile Runnable change = () -> {};

  private volatile Then then = Then.PROCESS_IS_KILLED;

  /** The dataset as the caches of all processes have it. */
  private volatile @Nullable Dataset cachedDataset;

  /** The Pod that the run was given. */
  private volatile String claimed = "";

  /** Whether the first process is stopped before its bind, too, which it sends meanwhile. */
  private volatile boolean isStoppedBeforeItsBind;

  private final AtomicBoolean bindIsStopped = new AtomicBoolean();
  private final CountDownLatch bindReached = new CountDownLatch(1);

  /** Whether the Pod that the run was given takes no job from the first process. */
  private volatile boolean firstStageFails;

  /** Whether no Pod takes a job. */
  private volatile boolean everyStageFails;

  /** Whether the code runs until the test lets it end. */
  private volatile boolean codeRunsOn;

  private final CountDownLatch codeStarted = new CountDownLatch(1);
  private final CountDownLatch codeEnds = new CountDownLatch(1);
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final CountDownLatch staged = new CountDownLatch(1);
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @BeforeEach
  void aPoolIsFull() {
    api.put(Samples.run());
    api.put(CLASS);
    PoolTemplate template =
        new PoolTemplates(keys, egressTarget, RunLimits::ofWarmPod)
            .of(Samples.config().namespaces().getFirst(), CLASS, Program.PYTHON);
    for (String uid : List.of("pod-a", "pod-b")) {
      PoolRunner runner =
          new PoolRunner(keys.current(), uid, request -> isLost(uid, request), codeEnds);
      runners.put(uid, runner);
      toClose.add(runner);
      api.put(IdlePods.of(template, pod(uid, runner.port())));
    }
    api.intercept(
        request ->
            step(request)
                .filter(step -> isLost(step + "/before") || isLost(step + "/after"))
                .map(step -> FakeApiServer.failure(503, "ServiceUnavailable", "not handled")));
  }

  private static Optional<String> step(FakeApiServer.Request request) {
    if (request.is("PATCH", ExecutionFixture.RUN_STATUS)) {
      String reason = ExecutionFixture.reason(request.body());
      return switch (reason) {
        case "Bound" -> Optional.of("bind");
        case "Completed" -> Optional.of("finish");
        case "WaitingForPod" -> Optional.of("giveBack");
        default -> Optional.empty();
      };
    }
    if (request.is("PATCH", "/pods/")) {
      return Optional.of("adopt");
    }
    if (request.is("GET", "/datasets/")) {
      return Optional.of("dataset");
    }
    return request.is("GET", "/analyticsruns/") ? Optional.of("read") : Optional.empty();
  }

  private boolean isLost(String podUid, String step) {
    if (!fatal.isEmpty() && claimed.isEmpty()) {
      claimed = podUid;
    }
    if (everyStageFails && step.equals("stage/before")) {
      return true;
    }
    if (firstStageFails && step.equals("stage/before") && !stopped.get()) {
      return true;
    }
    return isLost(step);
  }

  /**
   * Stops the first process if this is its step.
   *
   * @return whether the request of a killed process is lost
   */
  private boolean isLost(String step) {
    if (step.equals("stage/after")) {
      staged.countDown();
    }
    if (step.equals("start/after")) {
      codeStarted.countDown();
    }
    if (step.equals("bind/before")
        && isStoppedBeforeItsBind
        && bindIsStopped.compareAndSet(false, true)) {
      bindReached.countDown();
      await(goOn);
    }
    if (!step.equals(fatal) || !stopped.compareAndSet(false, true)) {
      return false;
    }
    if (!isStoppedBeforeItsBind) {
      awaitOther(step);
    }
    return switch (then) {
      case PROCESS_IS_KILLED -> {
        lines.forEach(CutLine::cut);
        reached.countDown();
        yield step.endsWith("/before");
      }
      case PROCESS_IS_OUTLIVED -> {
        reached.countDown();
        await(goOn);
        yield false;
      }
      case POD_IS_KILLED -> {
        podIsKilled(claimed);
        reached.countDown();
        yield false;
      }
      case OBJECTS_CHANGE -> {
        change.run();
        reached.countDown();
        yield false;
      }
    };
  }

  private void podIsKilled(String uid) {
    api.remove(pod(uid, 1));
    requireNonNull(runners.get(uid)).close();
  }

  /** The bind and the stage are sent at the same time: each is stopped after the other. */
  private void awaitOther(String step) {
    try {
      if (step.startsWith("bind")) {
        await(staged);
      } else if (step.startsWith("stage") || step.startsWith("dataset")) {
        api.await(
            "PATCH",
            ExecutionFixture.RUN_STATUS,
            body -> ExecutionFixture.reason(body).equals("Bound"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() throws Exception {
    goOn.countDown();
    codeEnds.countDown();
    for (AutoCloseable each : toClose.reversed()) {
      each.close();
    }
    api.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello/before",
        "hello/after",
        "read/before",
        "read/after",
        "stage/before",
        "stage/after",
        "bind/before",
        "bind/after",
        "start/before",
        "start/after",
        "adopt/before",
        "adopt/after",
        "finish/before",
        "finish/after",
        "ack/before",
        "ack/after",
      })
  void aRunWhoseLeaderIsKilledOrRestartsInPlaceIsStartedOnceByTheNext(String step)
      throws Exception {
    stopTheFirstAt(step);
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.leadToTheEnd();
    assertNothingIsLeft(second);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello/before",
        "hello/after",
        "read/before",
        "read/after",
        "stage/before",
        "stage/after",
        "bind/before",
        "start/before",
        "start/after",
        "adopt/before",
        "finish/before",
        "ack/before",
      })
  void aRunWhoseLeaderDoesNotKnowThatItWasSucceededIsStartedOnce(String step) throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    Process first = stopTheFirstAt(step);
    Process second = endedByTheNextLeader(first);
    assertNothingIsLeft(second);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello/before", "hello/after", "stage/before"})
  void aRunWithADatasetThatRunsIsNotEndedByALeaderThatWasSucceeded(String step) throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    isStoppedBeforeItsBind = true;
    codeRunsOn = true;
    datasetIs("s-1");
    api.remove(pod("pod-b", 1));
    Process first = stopTheFirstAt(step);
    await(bindReached);
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.keepPools();
    second.reconcile();
    await(codeStarted);
    goOn.countDown();
    first.threads.awaitIdle();
    assertThat(status().reason()).isEqualTo(RunReason.Bound);
    assertThat(api.find(pod("pod-a", 1))).isPresent();
    codeEnds.countDown();
    second.leadToTheEnd();
    assertNothingIsLeft(second);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hello/before", "hello/after", "stage/before", "stage/after", "bind/after"})
  void aRunWhosePodIsKilledBeforeItsStartIsStartedInAnother(String step) throws Exception {
    then = Then.POD_IS_KILLED;
    Process leader = stopTheFirstAt(step);
    leader.leadToTheEnd();
    assertThat(requireNonNull(status().pod()).uid()).isNotEqualTo(claimed);
    assertNothingIsLeft(leader);
  }

  @Test
  void aRunIsNotStartedOnSnapshotsThatAnotherProcessThanThatOfItsBindingHasStaged()
      throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    isStoppedBeforeItsBind = true;
    datasetIs("s-1");
    Pod other = api.read(pod("pod-b", 1));
    api.remove(other);
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.keepPools();
    Process first = stopTheFirstAt("stage/after");
    await(bindReached);
    datasetIs("s-2");
    AtomicBoolean secondIsKilled = new AtomicBoolean(true);
    api.intercept(
        request ->
            secondIsKilled.get() && step(request).equals(Optional.of("giveBack"))
                ? Optional.of(FakeApiServer.failure(503, "ServiceUnavailable", "it was killed"))
                : Optional.empty());
    second.reconcile();
    second.threads.awaitIdle();
    assertThat(requireNonNull(status().pod()).uid()).isEqualTo(claimed);
    assertThat(status().snapshotList()).extracting(PinnedSnapshot::id).containsExactly("s-2");
    secondIsKilled.set(false);
    api.put(other);
    Process third = new Process(api.client(), UnaryOperator.identity());
    third.leadToTheEnd();
    goOn.countDown();
    first.threads.awaitIdle();
    assertNothingIsLeft(third);
  }

  @ParameterizedTest
  @ValueSource(strings = {"start/before", "start/after"})
  void aRunWhosePodIsKilledWithItsStartIsLostAndNotStartedAgain(String step) throws Exception {
    then = Then.POD_IS_KILLED;
    Process leader = stopTheFirstAt(step);
    leader.leadToTheEnd();
    assertThat(status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(requireNonNull(status().pod()).uid()).isEqualTo(claimed);
    assertThat(requireNonNull(runners.get("pod-a")).isIdle())
        .isNotEqualTo(requireNonNull(runners.get("pod-b")).isIdle());
  }

  @ParameterizedTest
  @ValueSource(strings = {"giveBack/before", "giveBack/after", "refuse/before", "refuse/after"})
  void aRunWhoseLeaderIsKilledWhenItGivesTheRunBackIsStartedOnceByTheNext(String step)
      throws Exception {
    firstStageFails = true;
    stopTheFirstAt(step);
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.leadToTheEnd();
    assertNothingIsLeft(second);
  }

  /** The first leader still believes that the Pod it has given back is of no use to anybody. */
  @ParameterizedTest
  @ValueSource(strings = {"refuse/before", "refuse/after"})
  void aPodThatALeaderWhichWasSucceededTellsToRefuseIsThatOfTheRunOrOfNone(String step)
      throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    firstStageFails = true;
    Process first = stopTheFirstAt(step);
    Process second = endedByTheNextLeader(first);
    assertNothingIsLeft(second);
  }

  @Test
  void aRunThatIsDeletedWhileItsCodeRunsInAWarmPodLeavesNoPod() throws Exception {
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    leader.reconcile();
    await(codeStarted);
    api.remove(Samples.run());
    codeEnds.countDown();
    leader.threads.awaitIdle();
    assertNoPodIsLeftOfADeletedRun(leader);
  }

  @Test
  void aRunThatIsDeletedOnceItsLeaderWasKilledLeavesNoPod() throws Exception {
    codeRunsOn = true;
    var unused = stopTheFirstAt("start/after");
    api.remove(Samples.run());
    assertNoPodIsLeftOfADeletedRun(new Process(api.client(), UnaryOperator.identity()));
  }

  private void assertNoPodIsLeftOfADeletedRun(Process leader) throws Exception {
    for (int minute = 0; minute < 6; minute++) {
      clock.advance(Duration.ofMinutes(1));
      leader.keepPools();
    }
    assertThat(podsWithAJob()).isEmpty();
    assertThat(runners.values().stream().mapToInt(PoolRunner::starts).sum()).isEqualTo(1);
  }

  @Test
  void aRunThatNoWarmPodTakesGetsAPodOfItsOwnInTheEnd() throws Exception {
    everyStageFails = true;
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    // After the second Pod the operator pauses, by the time of the machine.
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (ownPods() == 0) {
      assertThat(System.nanoTime()).as("it has no Pod of its own").isLessThan(end);
      leader.reconcile();
      leader.threads.awaitIdle();
    }
    assertThat(ownPods()).isEqualTo(1);
    assertThat(
            api.requests("PATCH", ExecutionFixture.RUN_STATUS).stream()
                .map(request -> ExecutionFixture.reason(request.body())))
        .startsWith("Bound", "WaitingForPod", "Bound", "WaitingForPod");
    assertThat(runners.values()).extracting(PoolRunner::starts).containsExactly(0, 0);
    assertThat(status().reason()).isEqualTo(RunReason.WaitingForPod);
  }

  /** How many Pods were created for the run alone. */
  private long ownPods() {
    return api.requests("POST", "/pods").stream()
        .map(request -> request.body().at("/metadata/name").asText())
        .filter(name -> name.startsWith("run-"))
        .count();
  }

  @Test
  void aRunThatTheNextLeaderHasStartedIsNotGivenBackByTheOneBefore() throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    firstStageFails = true;
    Process first = stopTheFirstAt("giveBack/before");
    Process second = endedByTheNextLeader(first);
    assertThat(requireNonNull(status().pod()).uid()).isEqualTo(claimed);
    assertNothingIsLeft(second);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello/before",
        "hello/after",
        "read/before",
        "read/after",
        "stage/before",
        "stage/after",
        "bind/before",
        "bind/after",
      })
  void aPodThatTwoLeadersGiveToTwoRunsIsThatOfOneOfThem(String step) throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    AnalyticsRun otherRun = api.put(otherRun());
    Pod otherPod = api.read(pod("pod-b", 1));
    api.remove(otherPod);
    Process second = new Process(api.client(), UnaryOperator.identity(), OTHER_RUN);
    second.keepPools();
    Process first = stopTheFirstAt(step);
    second.reconcile();
    second.threads.awaitIdle();
    // One of them has it; the other gets the next Pod.
    api.put(otherPod);
    goOn.countDown();
    second.leadToTheEnd();
    first.leadToTheEnd();
    assertThat(status().reason()).isEqualTo(RunReason.Completed);
    AnalyticsRunStatus other = requireNonNull(api.read(otherRun).getStatus());
    assertThat(other.reason()).isEqualTo(RunReason.Completed);
    assertThat(requireNonNull(other.pod()).uid())
        .isNotEqualTo(requireNonNull(status().pod()).uid());
    assertThat(runners.values()).extracting(PoolRunner::starts).containsExactly(1, 1);
    assertNoPodIsLeft(first, second);
  }

  @Test
  void aRunIsNotStartedInAPodThatTheNextLeaderHasFoundIdleAndIsAboutToDelete() throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    isStoppedBeforeItsBind = true;
    Process first = stopTheFirstAt("hello/before");
    await(bindReached);
    api.put(Samples.runClass(CLASS.getSpec().withImage("runner:2")));
    CountDownLatch firstIsDone = new CountDownLatch(1);
    api.intercept(
        request -> {
          if (request.is("DELETE", "/pods/warm-python-" + claimed)) {
            goOn.countDown();
            awaitIdle(first);
            firstIsDone.countDown();
          }
          return Optional.empty();
        });
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.keepPools();
    assertThat(firstIsDone.getCount()).isZero();
    assertThat(requireNonNull(runners.get(claimed)).starts()).isZero();
    assertThat(status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(api.find(pod(claimed, 1))).isEmpty();
  }

  private static void awaitIdle(Process process) throws InterruptedException {
    try {
      process.threads.awaitIdle();
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private static AnalyticsRun otherRun() {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName(OTHER_RUN);
    run.getMetadata().setUid("uid-of-" + OTHER_RUN);
    return run;
  }

  @ParameterizedTest
  @ValueSource(strings = {"stage/after", "bind/after", "start/before"})
  void aRunReadsWhatWasCurrentWhenItWasBoundAlsoIfItsDatasetIsReplacedThen(String step)
      throws Exception {
    datasetIs("s-1");
    Process leader = changeAt(step, () -> datasetIs("s-2"));
    leader.leadToTheEnd();
    assertThatItHasRead("s-1");
    assertNothingIsLeft(leader);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello/before", "read/before", "read/after"})
  void aRunReadsOneOrTheOtherIfItsDatasetIsReplacedWhileThatIsRead(String step) throws Exception {
    datasetIs("s-1");
    Process leader = changeAt(step, () -> datasetIs("s-2"));
    leader.leadToTheEnd();
    assertThat(status().snapshotList())
        .singleElement()
        .extracting(PinnedSnapshot::id)
        .isIn("s-1", "s-2");
    assertNothingIsLeft(leader);
  }

  @Test
  void aRunIsNotStartedOnWhatAStaleCacheHas() throws Exception {
    datasetIs("s-1");
    datasetIsReplacedUnseen("s-2");
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    codeEnds.countDown();
    leader.leadToTheEnd();
    assertThatItHasRead("s-2");
    assertThat(
            api.requests("PATCH", ExecutionFixture.RUN_STATUS).stream()
                .map(request -> ExecutionFixture.reason(request.body())))
        .startsWith("Bound", "WaitingForPod", "Bound");
    assertNothingIsLeft(leader);
  }

  /** Otherwise it takes all Pods of the pool, one after the other. */
  @Test
  void aRunThatTheCacheGoesOnToShowAsNewIsStartedOnWhatIsCurrentInTheNextPod() throws Exception {
    datasetIs("s-1");
    datasetIsReplacedUnseen("s-2");
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    codeEnds.countDown();
    AnalyticsRun stale = run("run-1");
    for (int look = 0; look < 2; look++) {
      leader.reconcile(stale);
      leader.threads.awaitIdle();
    }
    assertThatItHasRead("s-2");
    assertNothingIsLeft(leader);
  }

  @Test
  void aRunWhoseDatasetWasDeletedBehindAStaleCacheIsRefusedAndNotStarted() throws Exception {
    datasetIs("s-1");
    api.remove(Samples.dataset(null));
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    leader.leadToTheEnd();
    assertThat(status().reason()).isEqualTo(RunReason.DatasetNotFound);
    assertThat(status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(runners.values()).extracting(PoolRunner::starts).containsExactly(0, 0);
    assertNoPodIsLeft(leader);
  }

  /** At these steps the run is bound already. */
  @ParameterizedTest
  @ValueSource(strings = {"dataset/before", "giveBack/before", "giveBack/after"})
  void aRunThatAStaleCacheHasAdmittedIsStartedOnceOnWhatIsCurrentByTheNextLeader(String step)
      throws Exception {
    datasetIs("s-1");
    datasetIsReplacedUnseen("s-2");
    stopTheFirstAt(step);
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.leadToTheEnd();
    assertThatItHasRead("s-2");
    assertNothingIsLeft(second);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dataset/before", "giveBack/before"})
  void aRunThatALeaderWhichWasSucceededHasAdmittedOnAStaleCacheIsStartedOnceOnWhatIsCurrent(
      String step) throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    datasetIs("s-1");
    datasetIsReplacedUnseen("s-2");
    Process first = stopTheFirstAt(step);
    Process second = endedByTheNextLeader(first);
    assertThatItHasRead("s-2");
    assertNothingIsLeft(second);
  }

  @Test
  void aRunWhoseDatasetIsReplacedBeforeALeaderThatWasSucceededStagesItIsStartedOnce()
      throws Exception {
    then = Then.PROCESS_IS_OUTLIVED;
    datasetIs("s-1");
    Process first = stopTheFirstAt("stage/before");
    datasetIs("s-2");
    Process second = endedByTheNextLeader(first);
    assertThatItHasRead("s-2");
    assertNothingIsLeft(second);
  }

  @Test
  void aRunThatWasStagedOnWhatWasCurrentThenIsStartedThereByTheNextLeader() throws Exception {
    datasetIs("s-1");
    stopTheFirstAt("stage/after");
    datasetIs("s-2");
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.leadToTheEnd();
    assertThatItHasRead("s-1");
    assertNothingIsLeft(second);
  }

  private void assertThatItHasRead(String snapshot) {
    assertThat(status().snapshotList()).extracting(PinnedSnapshot::id).containsExactly(snapshot);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hello/before", "read/after", "stage/after", "bind/after", "start/before"})
  void aRunEndsUnderTheLimitsThatItWasAdmittedWithAlsoIfItsClassChangesMeanwhile(String step)
      throws Exception {
    Process leader =
        changeAt(
            step,
            () ->
                api.put(
                    Samples.runClass(
                        CLASS
                            .getSpec()
                            .withImage("runner:2")
                            .withTimeouts(new ClassTimeouts(5, 120, 300)))));
    leader.leadToTheEnd();
    assertAdmittedLimits();
    assertNothingIsLeft(leader);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hello/before", "read/after", "stage/after", "bind/after", "start/before"})
  void aRunEndsUnderTheLimitsThatItWasAdmittedWithAlsoIfItsClassIsDeletedMeanwhile(String step)
      throws Exception {
    Process leader = changeAt(step, () -> api.remove(CLASS));
    leader.leadToTheEnd();
    assertAdmittedLimits();
    assertNothingIsLeft(leader);
  }

  private void assertAdmittedLimits() {
    PoolRunner bound = requireNonNull(runners.get(requireNonNull(status().pod()).uid()));
    assertThat(bound.job().at("/limits/timeoutMs").asInt()).isEqualTo(30_000);
    assertThat(api.requests("PATCH", "/pods/"))
        .singleElement()
        .satisfies(
            adoption ->
                assertThat(adoption.body().toString())
                    .contains("timeout-seconds\",\"value\":\"30\""));
  }

  /** The garbage collector deletes the Pods of a deleted class that no run has adopted. */
  @ParameterizedTest
  @ValueSource(strings = {"hello/before", "stage/before", "stage/after", "bind/after"})
  void aRunWhosePodIsCollectedWithItsClassBeforeItsStartIsRefused(String step) throws Exception {
    Process leader = changeAt(step, this::classIsDeletedWithItsPods);
    leader.leadToTheEnd();
    assertThat(status().reason()).isEqualTo(RunReason.ClassNotAllowed);
    assertThat(status().payloadStarted()).isEqualTo(PayloadStarted.No);
  }

  @ParameterizedTest
  @ValueSource(strings = {"start/before", "start/after"})
  void aRunWhosePodIsCollectedWithItsClassAtItsStartIsSaidToBeLost(String step) throws Exception {
    Process leader = changeAt(step, this::classIsDeletedWithItsPods);
    leader.leadToTheEnd();
    assertThat(status().reason()).isEqualTo(RunReason.PodLost);
  }

  private void classIsDeletedWithItsPods() {
    api.remove(CLASS);
    runners.keySet().forEach(this::podIsKilled);
  }

  @Test
  void nothingButTheBindIsWrittenBeforeTheStart() throws Exception {
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    Set<FakeApiServer.Request> earlier = writes();
    Set<FakeApiServer.Request> untilStart = new HashSet<>();
    then = Then.OBJECTS_CHANGE;
    change = () -> untilStart.addAll(writes());
    fatal = "start/before";
    codeEnds.countDown();
    leader.reconcile();
    await(reached);
    untilStart.removeAll(earlier);
    assertThat(untilStart)
        .singleElement()
        .satisfies(write -> assertThat(step(write)).hasValue("bind"));
  }

  private Set<FakeApiServer.Request> writes() {
    return Stream.of("POST", "PUT", "PATCH", "DELETE")
        .flatMap(method -> api.requests(method, "").stream())
        .collect(Collectors.toSet());
  }

  @Test
  void aClaimedPodIsAskedOnAConnectionThatItsChecksHaveKeptOpen() throws Exception {
    Process leader = new Process(api.client(), UnaryOperator.identity());
    leader.keepPools();
    Map<String, List<FakeRunner.Received>> checks = new HashMap<>();
    runners.forEach((uid, runner) -> checks.put(uid, runner.received()));
    codeEnds.countDown();
    leader.leadToTheEnd();
    String uid = requireNonNull(status().pod()).uid();
    List<FakeRunner.Received> ofChecks = requireNonNull(checks.get(uid));
    assertThat(ofChecks).extracting(FakeRunner.Received::path).contains("/v1/hello");
    assertThat(requireNonNull(runners.get(uid)).received().get(ofChecks.size()))
        .satisfies(
            first -> {
              assertThat(first.path()).isEqualTo("/v1/hello");
              assertThat(ofChecks)
                  .extracting(FakeRunner.Received::clientPort)
                  .contains(first.clientPort());
            });
  }

  private Process changeAt(String step, Runnable what) throws Exception {
    then = Then.OBJECTS_CHANGE;
    change = what;
    return stopTheFirstAt(step);
  }

  /**
   * The next leader leads the run to its end. Then the first, which does not know that it was
   * succeeded, goes on.
   */
  private Process endedByTheNextLeader(Process first) throws Exception {
    Process second = new Process(api.client(), UnaryOperator.identity());
    second.leadToTheEnd();
    goOn.countDown();
    first.threads.awaitIdle();
    return second;
  }

  /** Lets the first process lead until it is stopped. */
  private Process stopTheFirstAt(String step) throws Exception {
    CutLine toApi = line(URI.create(api.uri()).getPort());
    Map<String, Integer> ports = new HashMap<>();
    runners.forEach((uid, runner) -> ports.put(uid, line(runner.port()).port()));
    KubernetesClient client =
        ApiClients.create(
            new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + toApi.port())
                .withRequestRetryBackoffLimit(0)
                .build());
    toClose.add(client);
    Process first = new Process(client, pod -> throughLine(pod, ports));
    first.keepPools();
    if (!codeRunsOn) {
      codeEnds.countDown();
    }
    AnalyticsRun run = run("run-1");
    fatal = step;
    first.reconcile(run);
    await(reached);
    return first;
  }

  private CutLine line(int port) {
    CutLine line = new CutLine(port);
    lines.add(line);
    toClose.add(line);
    return line;
  }

  private void assertNothingIsLeft(Process leader) throws Exception {
    AnalyticsRunStatus status = status();
    assertThat(status.reason()).isEqualTo(RunReason.Completed);
    assertThat(runners.values().stream().mapToInt(PoolRunner::starts).sum()).isEqualTo(1);
    PoolRunner bound = requireNonNull(runners.get(requireNonNull(status.pod()).uid()));
    assertThat(bound.starts()).as("in the Pod of the run").isEqualTo(1);
    assertThat(bound.snapshots()).isEqualTo(RunJob.digest(status.snapshotList()));
    assertNoPodIsLeft(leader);
  }

  private void assertNoPodIsLeft(Process... leaders) throws Exception {
    for (int minute = 0; minute < 4; minute++) {
      clock.advance(Duration.ofMinutes(1));
      for (Process leader : leaders) {
        leader.round();
      }
    }
    assertThat(podsWithAJob()).isEmpty();
  }

  private List<String> podsWithAJob() {
    return new LiveRunResources(api.client(), UnaryOperator.identity(), Optional::empty)
        .pods().stream().map(pod -> pod.getMetadata().getUid()).filter(this::hasJob).toList();
  }

  private boolean hasJob(String podUid) {
    PoolRunner runner = runners.get(podUid);
    return runner != null && !runner.isIdle();
  }

  /** The run as a cache has it. */
  private AnalyticsRun run(String name) {
    return api.client()
        .resources(AnalyticsRun.class)
        .inNamespace(NAMESPACE)
        .withName(name)
        .require();
  }

  /** The run reads a dataset, which has this snapshot now. */
  private void datasetIs(String snapshot) {
    if (api.read(Samples.run()).getSpec().datasetNames().isEmpty()) {
      api.put(Samples.run("sales"));
    }
    datasetIsReplacedUnseen(snapshot);
    cachedDataset = api.read(Samples.dataset(null));
  }

  /** The same, and no cache shows it yet. */
  private void datasetIsReplacedUnseen(String snapshot) {
    api.put(
        Samples.dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Ready)
                .message("")
                .observedGeneration(3L)
                .attempt(0)
                .snapshot(Samples.snapshot(snapshot))
                .build()));
  }

  private AnalyticsRunStatus status() {
    return requireNonNull(api.read(Samples.run()).getStatus());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Pod pod(String uid, int port) {
    long user = 20_000L + port;
    Pod trusting = Samples.trusting(Samples.runningPod(port), keys.current());
    return new PodBuilder(Samples.warm(trusting))
        .editMetadata()
        .withName("warm-python-" + uid)
        .withUid(uid)
        .endMetadata()
        .editSpec()
        .editFirstContainer()
        .editSecurityContext()
        .withRunAsUser(user)
        .endSecurityContext()
        .endContainer()
        .endSpec()
        .editStatus()
        .withStartTime(Samples.CREATED)
        .endStatus()
        .build();
  }

  /** The first process reaches runners through its lines. */
  private static Pod throughLine(Pod pod, Map<String, Integer> ports) {
    Integer port = ports.get(pod.getMetadata().getUid());
    return port == null
        ? pod
        : new PodBuilder(pod)
            .editSpec()
            .editFirstContainer()
            .editFirstPort()
            .withContainerPort(port)
            .endPort()
            .endContainer()
            .endSpec()
            .build();
  }

  /** An operator process that leads. */
  private final class Process {
    private final TrackedThreads threads = new TrackedThreads();
    private final RunPath path;
    private final String run;

    Process(KubernetesClient client, UnaryOperator<Pod> seenAs) {
      this(client, seenAs, "run-1");
    }

    /** One that reconciles this run only. */
    Process(KubernetesClient client, UnaryOperator<Pod> seenAs, String run) {
      this.run = run;
      RunnerClient runnerClient = new RunnerClient(clock);
      toClose.add(runnerClient);
      toClose.add(() -> threads.executor().shutdownNow());
      RunOutputs outputs = new RunOutputs(store, clock);
      try {
        outputs.loadIndex(NAMESPACE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      path =
          new RunPath(
              Samples.config(),
              Samples.served(Samples.config(), client),
              client,
              new LiveRunResources(api.client(), seenAs, () -> Optional.ofNullable(cachedDataset)),
              keys,
              egressTarget,
              runnerClient,
              new RunnerPods(client, clock),
              outputs,
              new ToolCalls(
                  null,
                  client,
                  runnerClient,
                  outputs,
                  new EventRecorder(client, threads.executor(), clock),
                  ProgramMetrics.unread(),
                  threads.executor(),
                  clock),
              new AwaitedAnswers(
                  clock, RunStatusWriter.SHORT_RUN, (changed, time) -> clock.advance(time)),
              namespace -> {},
              Nodes.UNKNOWN,
              new EventRecorder(client, threads.executor(), clock),
              List::of,
              ProgramMetrics.unread(),
              threads.executor(),
              clock);
    }

    /** One round of its pools. */
    void keepPools() throws Exception {
      IdlePods.reconcile(path.pools());
      threads.awaitIdle();
    }

    void reconcile() {
      reconcile(run(run));
    }

    void reconcile(AnalyticsRun run) {
      var unused = path.reconciler().reconcile(run, Samples.context());
    }

    void round() throws Exception {
      clock.advance(Duration.ofSeconds(1));
      keepPools();
      reconcile();
      threads.awaitIdle();
    }

    void leadToTheEnd() throws Exception {
      for (int round = 0; round < MAX_ROUNDS; round++) {
        round();
        if (RunState.isFinal(run(run))) {
          return;
        }
      }
      throw new AssertionError("The run did not end: " + run(run).getStatus());
    }
  }
}
