package dev.assay.operator.run;

import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.execution.ExecutionEndings;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunTransitions;
import dev.assay.operator.runner.FakeRunner;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is decided for runs that have warm Pods, or could have one. */
@Tag("slow")
class WarmReconcilerTest {
  private final ReconcilerFixture f = new ReconcilerFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void theEndOfAWorkerIsSeenAtOnceAlsoInAPodThatDoesNotBelongToItsRunYet() throws Exception {
    TrackedThreads threads = new TrackedThreads();
    f.operatorRestarts(threads.executor());
    CountDownLatch waits = new CountDownLatch(1);
    f.resources.onPodRead =
        () -> {
          if (isAwaited()) {
            waits.countDown();
          }
        };
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      runner.on("/v1/start", events(started(1), result(2, "WorkerLost", 0)));
      Pod pod =
          f.podIs(
              running ->
                  new PodBuilder(Samples.warm(f.reachableAt(running, runner.port()).build())));
      f.run(
          f.read().getSpec(),
          Bindings.status(Samples.run(), bound(pod, FakeRunner.NONCE), f.clock.instant()));
      f.reconcile();
      assertThat(waits.await(20, TimeUnit.SECONDS)).isTrue();

      long began = System.nanoTime();
      f.resources.pod = withoutMemory(pod);
      f.resources.podChanged.accept(requireNonNull(f.resources.pod));
      threads.awaitIdle();

      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isLessThan(ExecutionEndings.STATUS_LAG);
      assertThat(f.status().reason()).isEqualTo(RunReason.MemoryExceeded);
    }
  }

  /** It belongs to its class until it is adopted, which the next leader may find it before. */
  @Test
  void aRunIsTakenUpInAWarmPodWithTheLimitsOfWhenItWasAdmittedWhateverBecameOfItsClass()
      throws Exception {
    f.run(Samples.spec("1", null, 2048, null), null);
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
      Map<String, String> ofClass =
          RunLimits.ofWarmPod(Samples.classSpec(Purpose.Run)).annotations();
      Pod pod =
          f.podIs(
              running ->
                  new PodBuilder(Samples.warm(f.reachableAt(running, runner.port()).build()))
                      .editMetadata()
                      .addToAnnotations(ofClass)
                      .endMetadata());
      f.run(
          f.read().getSpec(),
          Bindings.status(Samples.run(), bound(pod, FakeRunner.NONCE), f.clock.instant()));
      f.resources.runClass = null;
      TrackedThreads threads = new TrackedThreads();
      f.operatorRestarts(threads.executor());
      f.reconcile();
      threads.awaitIdle();
      JsonNode limits = runner.accepted().getFirst().at("/job/limits");
      assertThat(limits.path("timeoutMs").asInt()).isEqualTo(30_000);
      assertThat(limits.path("outputBytes").asInt()).isEqualTo(2048);
    }
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  @Test
  void aRunThatWaitsForAQuotaIsGivenAPodThatBecomesIdleBeforeThoseThatCameLater() {
    f.api.refuse("POST", ReconcilerFixture.POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    f.resources.runClass = withPool();
    AnalyticsRun first = f.api.put(run(1));
    AnalyticsRun second = f.api.put(run(2));
    f.reconcile(first);
    f.reconcile(second);
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      assertThat(f.podDeletions()).as("room is not made of what a run waits for").isEmpty();
      assertThat(f.resources.woken).containsExactly("run-1");
      f.reconcile(f.api.put(run(3)));
      f.reconcile(f.api.read(second));
      assertThat(f.executions.waiting()).isZero();
      f.reconcile(f.api.read(first));
      assertThat(f.executions.waiting()).isEqualTo(1);
    }
    assertThat(f.podCreations()).as("one attempt, of the first").hasSize(1);
  }

  @Test
  void aRunWithoutRoomInTheQuotaNeedNotBeFirstThereForAnIdlePod() {
    f.api.refuse("POST", ReconcilerFixture.POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    ClassWarmPool withoutDatasets = new ClassWarmPool(1, null, null, false);
    f.resources.runClass =
        Samples.runClass(Samples.classSpec(Purpose.Run).withWarmPool(withoutDatasets));
    f.resources.dataset =
        Samples.dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Ready)
                .observedGeneration(3L)
                .attempt(0)
                .snapshot(Samples.snapshot("a"))
                .build());
    AnalyticsRun first = run(1);
    first.setSpec(Samples.spec("1", null, null, null, "sales"));
    f.reconcile(f.api.put(first));
    AnalyticsRun second = f.api.put(run(2));
    f.reconcile(second);
    assertThat(f.api.read(second).getStatus().reason()).isEqualTo(RunReason.Queued);
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner, withoutDatasets);
      assertThat(f.resources.woken).containsExactly("run-2");
      f.reconcile(f.api.read(second));
      assertThat(f.executions.waiting()).isEqualTo(1);
    }
  }

  /** Its class was limited while it waited. */
  @Test
  void aRunThatWaitsForASlotOfItsClassKeepsNoIdlePodFromOthers() {
    f.api.refuse("POST", ReconcilerFixture.POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    f.resources.runClass = withPool();
    AnalyticsRun first = f.api.put(run(1));
    AnalyticsRun second = f.api.put(run(2));
    f.reconcile(first);
    f.reconcile(second);
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      f.resources.startedRunUids.add("uid-of-a-run");
      f.resources.runClass = Samples.runClass(withPool().getSpec().withMaxConcurrentRuns(1));
      f.reconcile(f.api.read(first));
      assertThat(f.executions.waiting()).isZero();

      f.resources.runClass = withPool();
      f.reconcile(f.api.read(second));
      assertThat(f.executions.waiting()).isEqualTo(1);
    }
  }

  @Test
  void aRunWhosePodFindsNoNodeIsStartedInAWarmOneAndItsOwnGoesOnceTheRunIsBound() {
    f.resources.runClass = withPool();
    Pod own = f.podIs(WarmReconcilerTest::withoutNode);
    f.reconcile();
    assertThat(f.executions.waiting()).isZero();
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      assertThat(f.resources.woken).containsExactly("run-1");
      f.reconcile();
      assertThat(f.executions.waiting()).isEqualTo(1);
      assertThat(f.podDeletions()).as("the warm one may not take it").isEmpty();

      Pod warm = f.resources.otherPods.getFirst();
      f.run(
          f.read().getSpec(),
          Bindings.status(Samples.run(), bound(warm, FakeRunner.NONCE), f.clock.instant()));
      f.api.put(own);
      f.reconcile();
      assertThat(f.api.find(own)).as("it has changed since: it may have a node").isPresent();
      f.podIs(WarmReconcilerTest::withoutNode);
      f.reconcile();
      assertThat(f.api.find(own)).isEmpty();
    }
  }

  @Test
  void aRunWhosePodFindsNoNodeIsGivenAWarmOneOnlyWhenItsNextAttemptIsDue() {
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      f.podIs(running -> withoutNode(running).withNewStatus().withPhase("Failed").endStatus());
      f.reconcile();
      f.podIs(WarmReconcilerTest::withoutNode);
      assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(5));
      assertThat(f.executions.waiting()).isZero();

      f.clock.advance(Duration.ofSeconds(5));
      f.reconcile();
      assertThat(f.executions.waiting()).isEqualTo(1);
    }
  }

  @Test
  void theOwnPodOfARunThatHasFoundANodeGoesOnceTheCodeRunsInAWarmOne() {
    Pod own = f.podIs(WarmReconcilerTest::onANode);
    AnalyticsRun bound = boundToWarm();
    f.run(bound.getSpec(), bound.getStatus());
    f.reconcile();
    assertThat(f.api.find(own)).as("the warm one may give the run back").isPresent();
    f.run(bound.getSpec(), running(bound));
    f.reconcile();
    assertThat(f.api.find(own)).isEmpty();
  }

  @Test
  void theOwnPodOfARunThatHasEndedInAWarmOneGoesAtOnce() {
    Pod own = f.podIs(WarmReconcilerTest::onANode);
    AnalyticsRun bound = boundToWarm();
    f.run(
        bound.getSpec(),
        RunTransitions.finished(
                bound, Ending.notStarted(RunReason.StartFailed, "why"), null, f.clock.instant())
            .orElseThrow());
    f.reconcile();
    assertThat(f.api.find(own)).isEmpty();
  }

  @Test
  void aRunIsCancelledThoughItsOwnPodCannotBeDeletedNow() {
    f.api.refuse("DELETE", ReconcilerFixture.POD_PATH, 500, "InternalError", "etcd is away");
    Pod own = f.podIs(WarmReconcilerTest::withoutNode);
    AnalyticsRun bound = boundToWarm();
    f.run(bound.getSpec().withCancel(true), bound.getStatus());
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.Cancelled);
    assertThat(f.podDeletions()).isNotEmpty();
    assertThat(f.api.find(own)).isPresent();
  }

  private AnalyticsRun boundToWarm() {
    Pod warm = Samples.warm(Samples.runningPod(7333));
    AnalyticsRun run = Samples.run();
    run.setStatus(Bindings.status(run, bound(warm, "nonce"), f.clock.instant()));
    return run;
  }

  private AnalyticsRunStatus running(AnalyticsRun bound) {
    return RunTransitions.started(
            bound, requireNonNull(bound.getStatus().pod()).uid(), f.clock.instant())
        .orElseThrow();
  }

  private static PodBuilder onANode(PodBuilder running) {
    return withoutNode(running).withNewStatus().withPhase("Pending").endStatus();
  }

  /** Its dataset was deleted while it waited for a node. */
  @Test
  void aRunThatCannotBeAdmittedKeepsNoIdlePodFromOthers() {
    f.resources.runClass = withPool();
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.podIs(WarmReconcilerTest::withoutNode);
    f.reconcile();
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      assertThat(f.resources.woken).containsExactly("run-1");
      f.reconcile();
      f.reconcile();
      assertThat(f.executions.waiting()).isZero();
      f.reconcile(f.api.put(run(2)));
      assertThat(f.executions.waiting()).isEqualTo(1);
    }
    assertThat(f.podDeletions()).isEmpty();
  }

  @Test
  void aRunWhosePodHasANodeIsStartedInThatOne() {
    f.resources.runClass = withPool();
    f.podIs(WarmReconcilerTest::onANode);
    f.reconcile();
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      assertThat(f.resources.woken).isEmpty();
      f.reconcile();
      assertThat(f.executions.waiting()).isZero();
    }
  }

  private static RunClass withPool() {
    return Samples.runClass(
        Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, null)));
  }

  private static AnalyticsRun run(int number) {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    run.getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    return run;
  }

  /** A Pod with user ids of its own that the scheduler finds no node for. */
  private static PodBuilder withoutNode(PodBuilder running) {
    return Samples.unschedulable(running, "0/1 nodes are available")
        .editMetadata()
        .withUid("uid-of-its-own-pod")
        .endMetadata()
        .editSpec()
        .editFirstContainer()
        .editSecurityContext()
        .withRunAsUser(30_001L)
        .endSecurityContext()
        .endContainer()
        .endSpec();
  }

  private static boolean isAwaited() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("await")));
  }

  private static BoundPod bound(Pod pod, String nonce) {
    return BoundPodBuilder.builder()
        .name(pod.getMetadata().getName())
        .uid(pod.getMetadata().getUid())
        .warm(true)
        .nonce(nonce)
        .build();
  }

  private static Pod withoutMemory(Pod pod) {
    return new PodBuilder(pod)
        .editStatus()
        .addNewContainerStatus()
        .withName("worker")
        .withNewState()
        .withNewTerminated()
        .withReason("OOMKilled")
        .withExitCode(137)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }
}
