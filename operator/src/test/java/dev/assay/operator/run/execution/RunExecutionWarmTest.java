package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.POD_UID;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.run.execution.ExecutionFixture.RUN_STATUS;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.helloOf;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.run.status.RunOrigin;
import dev.assay.operator.run.status.RunTransitions;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Hello;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a run is executed in a Pod that was started before the run was known. */
@Tag("slow")
class RunExecutionWarmTest {
  private static final FakeRunner.Answer SUCCESS = events(started(1), result(2, "Succeeded", 0));
  private static final FakeRunner.Answer STAGED = json(200, "{\"state\":\"Staged\"}");
  private static final List<PinnedSnapshot> SNAPSHOTS =
      List.of(new PinnedSnapshot("sales", "s-1-0", "snapshots/s/1-0", "Sales", null));
  private static final List<PinnedSnapshot> OTHER_SNAPSHOTS =
      List.of(new PinnedSnapshot("sales", "s-2-0", "snapshots/s/2-0", "Sales", null));
  private static final String PODS = "/pods/warm-python-1";

  private final ExecutionFixture f = new ExecutionFixture();

  @BeforeEach
  void podIsWarm() {
    f.podIsWarm();
  }

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void theCodeIsStartedOnceTheRunIsBoundAndThePodHasTheJob() throws Exception {
    List<List<String>> opsAtBind = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (ExecutionFixture.reason(request.body()).equals("Bound")) {
            opsAtBind.add(List.copyOf(f.runner.ops()));
          }
          return Optional.empty();
        });
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(opsAtBind).hasSize(1).allSatisfy(ops -> assertThat(ops).doesNotContain("start"));
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(bound().dispatcher()).isEqualTo(ExecutionFixture.DISPATCHER);
  }

  @Test
  void thePodEndsOnceTheCallersOfOthersAreAnswered() throws Exception {
    Instant begin = f.clock.instant();
    AtomicReference<Instant> written = new AtomicReference<>();
    AtomicReference<Instant> acknowledged = new AtomicReference<>();
    f.api.intercept(
        request -> {
          if (ExecutionFixture.reason(request.body()).equals("Completed")) {
            written.set(f.clock.instant());
          }
          return Optional.empty();
        });
    f.runner.on("/v1/start", SUCCESS);
    f.runner.on(
        "/v1/ack", meanwhile(() -> acknowledged.set(f.clock.instant())).then(json(200, "{}")));
    f.answers.begin("another-run");

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(written).hasValue(begin);
    assertThat(acknowledged.get()).isAfterOrEqualTo(begin.plusMillis(750));
  }

  @Test
  void theJobIsStagedWhileTheRunIsBound() throws Exception {
    f.runner.on(
        "/v1/stage",
        meanwhile(() -> f.awaitWritten(RunReason.Bound)).then(json(200, "{\"state\":\"Staged\"}")));
    f.runner.on("/v1/start", SUCCESS);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
  }

  @Test
  void theStartIsSignedWhileTheRunIsBoundAndSentAfterwards() throws Exception {
    long before = f.clock.instant().toEpochMilli();
    CountDownLatch signed = new CountDownLatch(1);
    f.clock.onRead(
        () -> {
          if (StackWalker.getInstance().walk(RunExecutionWarmTest::signsTheStart)) {
            signed.countDown();
          }
        });
    f.api.intercept(
        request -> {
          if (ExecutionFixture.reason(request.body()).equals("Bound")) {
            assertThat(signed.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(f.runner.ops()).doesNotContain("start");
            f.clock.advance(Duration.ofSeconds(20));
          }
          return Optional.empty();
        });
    f.runner.on("/v1/stage", meanwhile(() -> f.awaitWritten(RunReason.Bound)).then(STAGED));
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.runner.accepted().get(1).path("notAfter").asLong())
        .isEqualTo(before + Duration.ofMinutes(10).toMillis());
  }

  private static boolean signsTheStart(Stream<StackWalker.StackFrame> frames) {
    return frames.anyMatch(frame -> frame.getMethodName().equals("signStart"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Staged", "Started", "Finished", "SomethingNew"})
  void aPodWhoseRunnerHasAJobIsLeftToItsRun(String state) throws Exception {
    f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, state), "another-run")));
    assertLeftToAnotherRun(f.execution());
  }

  @Test
  void aPodThatIsGivenAJobMeanwhileIsLeftToItsRun() throws Exception {
    f.runner.on("/v1/stage", refusal(409, "RunMismatch"));
    assertLeftToAnotherRun(f.execution());
  }

  @Test
  void aPodThatWasToldToRefuseMeanwhileIsDeletedAndTheRunGetsTheNext() throws Exception {
    f.runner.on("/v1/stage", refusal(409, "Refused"));
    assertGivenBack(f.execution());
    assertThat(podIsDeleted()).isTrue();
    assertThat(f.refusals.contain(Samples.NAMESPACE, RUN_UID, List.of())).isFalse();
  }

  /**
   * The late start of a run whose Pod another leader has told to refuse, or was about to delete.
   */
  @Test
  void aRunWhoseStartIsRefusedGetsTheNextPod() throws Exception {
    f.runner.on("/v1/start", refusal(409, "Refused"));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);
    assertThat(f.reasons()).containsExactly("Bound", "WaitingForPod");
    assertThat(f.status().pod()).isNull();
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aRunThatIsResumedLeavesAPodThatRefusesItsStart() throws Exception {
    bind();
    f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, "Staged"), RUN_UID)));
    f.runner.on("/v1/start", refusal(409, "Refused"));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);
    assertThat(f.status().pod()).isNull();
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
  }

  /** Of a supervisor that did what none does. */
  @Test
  void aRunWhosePodRefusesAfterEventsIsLostAndNotStartedAgain() throws Exception {
    f.runner.on("/v1/start", events(started(1)));
    f.runner.on("/v1/attach", refusal(409, "Refused"));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.runner.ops()).containsOnlyOnce("start");
  }

  private void assertLeftToAnotherRun(RunExecution execution) throws InterruptedException {
    assertGivenBack(execution);
    assertThat(podIsDeleted()).isFalse();
  }

  private void assertGivenBack(RunExecution execution) throws InterruptedException {
    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);
    assertThat(f.reasons()).containsExactly("Bound", "WaitingForPod");
    assertThat(f.status().pod()).isNull();
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.written).as("the cache is told").hasSize(1);
    assertThat(f.written.getFirst().getStatus().reason()).isEqualTo(RunReason.WaitingForPod);
  }

  @Test
  void aPodThatHasTheJobOfThisRunAlreadyIsStarted() throws Exception {
    f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, "Staged"), RUN_UID)));
    f.runner.on("/v1/start", SUCCESS);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.ops()).containsExactly("start", "ack");
  }

  @Test
  void aPodThatDoesNotTakeTheJobIsDeletedAndTheRunGetsTheNext() throws Exception {
    f.runner.on("/v1/stage", nothing());
    assertGivenBack(f.execution());
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aPodWhoseRunnerWasRestartedIsDeletedAndTheRunGetsTheNext() throws Exception {
    String hello = helloOf(POD_UID).replace(FakeRunner.NONCE, "another-nonce");
    f.runner.on("/v1/hello", json(200, hello));
    assertGivenBack(f.execution());
    assertThat(podIsDeleted()).isTrue();
    assertThat(f.runner.ops()).isEmpty();
  }

  @Test
  void aPodThatEndsBeforeItAnswersIsDeletedAndTheRunGetsTheNext() throws Exception {
    f.runner.on("/v1/hello", meanwhile(f::podGoes).then(refusal(503, "NotYet")));
    assertGivenBack(f.execution());
  }

  @Test
  void aPodThatIsBeingDeletedOnceItHasTheJobIsNotStartedAndTheRunGetsTheNext() throws Exception {
    f.runner.on(
        "/v1/stage",
        meanwhile(
                () ->
                    f.podBecomes(
                        pod ->
                            new PodBuilder(pod)
                                .editMetadata()
                                .withDeletionTimestamp(Samples.CREATED)
                                .endMetadata()
                                .build()))
            .then(json(200, "{\"state\":\"Staged\"}")));
    assertGivenBack(f.execution());
  }

  @Test
  void aPodWhoseAddressBelongsToAnotherPodIsNotStartedAndTheRunGetsTheNext() throws Exception {
    f.runner.on(
        "/v1/hello",
        meanwhile(() -> f.clock.advance(Duration.ofSeconds(1)))
            .then(json(200, helloOf("another-pod"))));
    assertGivenBack(f.execution());
    assertThat(podIsDeleted()).isTrue();
    assertThat(f.runner.ops()).isEmpty();
  }

  @Test
  void aPodThatEndsOnceItWasStartedIsNotReplaced() throws Exception {
    f.runner.on("/v1/start", events(started(1)).then(meanwhile(f::podGoes)));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
  }

  @Test
  void aRunThatAnotherProcessHasTakenOverIsNotGivenBack() throws Exception {
    f.runner.on("/v1/stage", meanwhile(this::isTakenOver).then(nothing()));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(bound().dispatcher()).isEqualTo("process-2");
    assertThat(f.status().reason()).isEqualTo(RunReason.Bound);
    assertThat(podIsDeleted()).isFalse();
  }

  private void isTakenOver() throws InterruptedException {
    f.awaitWritten(RunReason.Bound);
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(), RunTransitions.retaken(run, POD_UID, "process-2").orElseThrow()));
  }

  @Test
  void aRunThatIsResumedIsTakenOverBeforeItsStart() throws Exception {
    bind();
    List<List<String>> opsAtRetake = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (request.is("PATCH", RUN_STATUS) && opsAtRetake.isEmpty()) {
            opsAtRetake.add(List.copyOf(f.runner.ops()));
          }
          return Optional.empty();
        });
    f.runner.on("/v1/start", SUCCESS);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(opsAtRetake.getFirst()).doesNotContain("start");
    assertThat(bound().dispatcher()).isEqualTo(ExecutionFixture.DISPATCHER);
  }

  @Test
  void aRunThatWasGivenBackMeanwhileIsNotStartedByTheProcessThatResumesIt() throws Exception {
    bind();
    f.runner.on(
        "/v1/hello",
        meanwhile(
                () ->
                    f.runBecomes(
                        run ->
                            Samples.run(
                                run.getSpec(),
                                RunTransitions.givenBack(run, POD_UID, "process-0", "no")
                                    .orElseThrow())))
            .then(json(200, helloOf(POD_UID))));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.status().pod()).isNull();
  }

  /** Its cache does not show that, and it has no answer of its own request. */
  @Test
  void aRunThatThisProcessHasGivenBackItselfIsNotStartedWhereItIsResumed() throws Exception {
    AtomicReference<ExecutionRequest> stale = new AtomicReference<>();
    f.api.intercept(
        request -> {
          if (!ExecutionFixture.reason(request.body()).equals("WaitingForPod")) {
            return Optional.empty();
          }
          stale.set(f.request());
          f.runBecomes(
              run ->
                  Samples.run(
                      run.getSpec(),
                      RunTransitions.givenBack(run, POD_UID, ExecutionFixture.DISPATCHER, "no")
                          .orElseThrow()));
          return Optional.of(FakeApiServer.failure(504, "Timeout", "no answer"));
        });
    f.runner.on("/v1/stage", nothing());
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    f.runner.on("/v1/stage", STAGED);
    f.runner.on("/v1/start", SUCCESS);

    assertThat(new RunExecution(f.services, stale.get(), f.view()).run()).isEqualTo(Outcome.AGAIN);

    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.status().pod()).isNull();
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aRequestToGiveARunBackThatIsHandledOnceThisProcessHasResumedTheRunIsRefused()
      throws Exception {
    AtomicReference<FakeApiServer.Request> late = new AtomicReference<>();
    f.api.intercept(
        request ->
            ExecutionFixture.reason(request.body()).equals("WaitingForPod")
                    && late.compareAndSet(null, request)
                ? Optional.of(FakeApiServer.failure(504, "Timeout", "not handled yet"))
                : Optional.empty());
    f.runner.on("/v1/stage", nothing());
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    List<Integer> answers = new CopyOnWriteArrayList<>();
    f.runner.on("/v1/stage", STAGED);
    f.runner.on("/v1/start", meanwhile(() -> answers.add(codeOf(late.get()))).then(SUCCESS));

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(answers).containsExactly(409);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  /** The code of the response to a request that is sent again. */
  private int codeOf(FakeApiServer.Request request) {
    try {
      var unused = f.api.client().raw(request.path(), request.method(), request.body().toString());
      return 200;
    } catch (KubernetesClientException e) {
      return e.getCode();
    }
  }

  @Test
  void aRunThatWasBoundToThePodOfAnotherRunAndNotGivenBackGetsTheNext() throws Exception {
    bind();
    f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, "Started"), "another-run")));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);
    assertThat(f.status().pod()).isNull();
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.runner.ops()).isEmpty();
    assertThat(podIsDeleted()).isFalse();
    assertThat(f.written).as("the cache is told").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "\"" + Samples.RUN_UID + "\""})
  void aRunThatIsBoundToAPodThatWasToldToRefuseGetsTheNext(String runUid) throws Exception {
    bind();
    String refused = helloOf(POD_UID, "Refused").replace("\"runUid\":null", "\"runUid\":" + runUid);
    f.runner.on("/v1/hello", json(200, refused));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);
    assertThat(f.status().pod()).isNull();
    assertThat(f.status().message()).contains("told to start nothing");
    assertThat(f.runner.ops()).isEmpty();
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aPodWhoseDeletionFailsOnceItsRunWasReleasedIsDeletedAgain() throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, "OSError", "cannot fork")));
    f.runner.on("/v1/refuse", refusal(409, "Started"));
    AtomicInteger deletions = new AtomicInteger();
    f.api.intercept(
        request ->
            request.is("DELETE", PODS) && deletions.incrementAndGet() == 1
                ? Optional.of(FakeApiServer.failure(403, "Forbidden", "by a policy"))
                : Optional.empty());
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.status().pod()).isNull();
    assertThat(deletions.get()).isGreaterThan(1);
  }

  /** The start of its execution is refused, which deletes the Pod. */
  @Test
  void aPodThatAnotherLeaderHasBoundTheRunToBeforeItRefusesIsLeftToThatOne() {
    f.api.refuse("PATCH", RUN_STATUS, 403, "Forbidden", "by a policy");
    f.runner.on("/v1/refuse", meanwhile(this::bind).then(json(200, "{\"state\":\"Refused\"}")));
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    assertThat(podIsDeleted()).isFalse();
  }

  private static String ofRun(String hello, String runUid) {
    return hello.replace("\"runUid\":null", "\"runUid\":\"" + runUid + "\"");
  }

  private BoundPod bound() {
    return Objects.requireNonNull(f.status().pod());
  }

  @Test
  void aPodWhoseRunIsCancelledMeanwhileIsDeletedAndTheRunGetsNoneAtOnce() throws Exception {
    RunExecution execution = f.execution();
    f.cancelIsRequested();
    assertThat(execution.run()).as("not at once").isEqualTo(Outcome.AGAIN);
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aPodWhoseRunMayNotBeBoundIsDeleted() {
    f.api.refuse("PATCH", RUN_STATUS, 403, "Forbidden", "by a policy");
    RunExecution execution = f.execution();
    assertThatThrownBy(execution::run).isInstanceOf(KubernetesClientException.class);
    assertThat(podIsDeleted()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 503, 504})
  void aPodWhoseBindIsHandledWithoutAnAnswerIsKeptAndTheRunStartedThere(int code) throws Exception {
    AtomicReference<FakeApiServer.Request> late = new AtomicReference<>();
    f.api.intercept(
        request ->
            ExecutionFixture.reason(request.body()).equals("Bound")
                    && late.compareAndSet(null, request)
                ? Optional.of(FakeApiServer.failure(code, "Timeout", "not handled yet"))
                : Optional.empty());
    RunExecution execution = f.execution();
    assertThatThrownBy(execution::run).isInstanceOf(KubernetesClientException.class);
    f.threads.awaitIdle();
    assertThat(podIsDeleted()).isFalse();
    assertThat(codeOf(late.get())).isEqualTo(200);
    f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, "Staged"), RUN_UID)));
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
  }

  @Test
  void aPodThatHasStartedTheRunForAnotherLeaderIsKeptWhereTheRunMayNotBeBound() {
    f.api.refuse("PATCH", RUN_STATUS, 403, "Forbidden", "by a policy");
    f.runner.on("/v1/refuse", refusal(409, "Started"));
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aPodThatAnotherRunHasIsKeptWhereTheRunMayNotBeBound() {
    f.api.refuse("PATCH", RUN_STATUS, 403, "Forbidden", "by a policy");
    f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, "Started"), "another-run")));
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aPodThatDoesNotSayWhetherAnotherRunHasItIsLeftToItsPool() {
    f.api.refuse("PATCH", RUN_STATUS, 403, "Forbidden", "by a policy");
    f.runner.on("/v1/hello", nothing());
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aPodIsNotToldToRefuseWhereSomethingFailsOnceTheRunIsBound() {
    f.snapshots = SNAPSHOTS;
    f.datasetsCannotBeRead = true;
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(CompletionException.class);
    assertThat(f.status().pod()).isNotNull();
    assertThat(f.runner.ops()).isEmpty();
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aPodIsKeptByAnOperatorThatShutsDownWhileTheCodeRuns() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1)).then(meanwhile(f.threads.executor()::shutdownNow)).then(nothing()));
    RunExecution execution = f.execution();
    Future<Outcome> run = f.threads.executor().submit(execution::run);
    assertThatThrownBy(() -> run.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aPodWhoseRunChangesAllTheTimeIsDeleted() {
    f.api.refuse("PATCH", RUN_STATUS, 409, "Conflict", "modified");
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(IllegalStateException.class);
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aPodWhoseBindWasWrittenAlthoughTheAnswerWasLostIsKept() {
    f.api.intercept(
        request -> {
          if (!ExecutionFixture.reason(request.body()).equals("Bound")) {
            return Optional.empty();
          }
          bind();
          return Optional.of(FakeApiServer.failure(504, "Timeout", "no answer"));
        });
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(KubernetesClientException.class);
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aBoundPodBecomesThatOfTheRun() throws Exception {
    f.runner.on("/v1/start", SUCCESS);
    f.execution().run();
    f.threads.awaitIdle();
    assertThat(adoptions()).isEqualTo(1);
    assertThat(f.api.read(Samples.warm(Samples.runningPod(1))).getMetadata().getLabels())
        .containsEntry(Labels.RUN_UID, RUN_UID);
  }

  @Test
  void aPodThatTheLeaderBeforeHasBoundBecomesThatOfTheRunOnce() throws Exception {
    bind();
    f.runner.on("/v1/hello", json(200, helloOf(POD_UID, "Started")));
    f.runner.on("/v1/start", SUCCESS);
    f.execution().run();
    f.threads.awaitIdle();
    assertThat(adoptions()).isEqualTo(1);
  }

  @Test
  void aPodThatTheLeaderBeforeHasAdoptedIsNotPatchedAgain() throws Exception {
    bind();
    f.podBecomes(
        pod ->
            new PodBuilder(pod)
                .editMetadata()
                .addToLabels(Labels.RUN_UID, RUN_UID)
                .endMetadata()
                .build());
    f.runner.on("/v1/hello", json(200, helloOf(POD_UID, "Started")));
    f.runner.on("/v1/start", SUCCESS);
    f.execution().run();
    f.threads.awaitIdle();
    assertThat(adoptions()).isZero();
  }

  private int adoptions() {
    return f.api.requests("PATCH", PODS).size();
  }

  @Test
  void onlyAfterAFailureOfThePodItselfTheRunIsLookedAtAtOnce() throws Exception {
    f.runner.on("/v1/stage", nothing());
    assertThat(lookedAtAtOnce()).isTrue();
    f.runner.on("/v1/stage", refusal(409, "RunMismatch"));
    assertThat(lookedAtAtOnce()).isTrue();
    f.runner.on("/v1/stage", json(200, "{\"state\":\"Staged\"}"));
    f.api.refuse("PATCH", RUN_STATUS, 500, "InternalError", "etcd is away");
    assertThat(lookedAtAtOnce()).isFalse();
  }

  @Test
  void aRunIsBoundWithTheSnapshotsThatItWasAdmittedWith() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().snapshots()).isEqualTo(SNAPSHOTS);
  }

  @Test
  void aLeaderThatResumesARunHasItsSnapshotsFromItsStatus() {
    AnalyticsRunStatus status = AnalyticsRunStatus.EMPTY.with().snapshots(SNAPSHOTS).build();
    AnalyticsRun run = Samples.run(Samples.spec("print(1)", null, null, null), status);
    assertThat(RunOrigin.snapshots(run, Samples.runningPod(7333))).isEmpty();
    assertThat(RunOrigin.snapshots(run, Samples.warm(Samples.runningPod(7333))))
        .isEqualTo(SNAPSHOTS);
  }

  @Test
  void theCodeIsReadWhileTheRunnerIsAsked() throws Exception {
    f.runner.on(
        "/v1/hello",
        meanwhile(() -> f.api.await("GET", "/analyticsruns/run-1", body -> true))
            .then(json(200, helloOf(POD_UID))));
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
  }

  @Test
  void aRunWhoseDatasetWasReplacedIsStagedNowhereAndGetsTheNext() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.currentSnapshots = OTHER_SNAPSHOTS;

    assertGivenBack(f.execution());

    assertThat(stagedRuns()).doesNotContain(RUN_UID);
    assertThat(podIsDeleted()).isTrue();
    assertThat(f.refusals.contain(Samples.NAMESPACE, RUN_UID, SNAPSHOTS)).isFalse();
  }

  @Test
  void aPodThatARunLeavesIdleTakesNoOtherRunBeforeItIsDeleted() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.currentSnapshots = OTHER_SNAPSHOTS;
    List<List<String>> opsAtDeletion = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (request.is("DELETE", PODS)) {
            opsAtDeletion.add(List.copyOf(f.runner.ops()));
          }
          return Optional.empty();
        });

    assertGivenBack(f.execution());

    assertThat(opsAtDeletion).containsExactly(List.of("refuse"));
  }

  @Test
  void aPodThatHasStartedAnotherRunAfterARunHasLeftItIsLeftToThatOne() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.currentSnapshots = OTHER_SNAPSHOTS;
    f.runner.on("/v1/refuse", refusal(409, "Started"));

    assertGivenBack(f.execution());

    assertThat(podIsDeleted()).isFalse();
  }

  /** The runs whose jobs the runner has taken. */
  private List<String> stagedRuns() {
    return f.runner.accepted().stream()
        .filter(request -> request.path("op").asText().equals("stage"))
        .map(request -> request.path("runUid").asText())
        .toList();
  }

  @Test
  void aRunWhoseDatasetWasDeletedIsStagedNowhereAndGetsTheNext() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.currentSnapshots = List.of();

    assertGivenBack(f.execution());

    assertThat(stagedRuns()).doesNotContain(RUN_UID);
  }

  @Test
  void aRunOnReplacedSnapshotsThatWasNotStagedIsReleasedOnceThePodRefuses() throws Exception {
    f.runBecomes(run -> Samples.run("sales"));
    bindWithSnapshots();
    f.currentSnapshots = OTHER_SNAPSHOTS;
    f.runner.on("/v1/hello", json(200, FakeRunner.helloWith(Hello.DATASETS)));
    List<List<String>> opsAtRelease = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (ExecutionFixture.reason(request.body()).equals("WaitingForPod")) {
            opsAtRelease.add(List.copyOf(f.runner.ops()));
          }
          return Optional.empty();
        });
    RunExecution execution = f.execution();

    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(opsAtRelease).containsExactly(List.of("refuse"));
    assertThat(f.status().pod()).isNull();
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aRunOnReplacedSnapshotsThatIsStartedMeanwhileIsNotReleased() throws Exception {
    bindWithSnapshots();
    f.currentSnapshots = OTHER_SNAPSHOTS;
    f.runner.on("/v1/refuse", refusal(409, "Started"));
    assertLeftToTheOtherLeader(f.execution());
    f.runner.on("/v1/refuse", nothing());
    assertLeftToTheOtherLeader(f.execution());
  }

  /** Its Pod was made by a release before 0.3, and its leader ended between bind and stage. */
  @Test
  void aRunOnReplacedSnapshotsInAPodThatCannotRefuseIsLost() throws Exception {
    bindWithSnapshots();
    f.currentSnapshots = OTHER_SNAPSHOTS;
    f.runner.on("/v1/hello", json(200, ofOldRunner(helloOf(POD_UID))));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.runner.ops()).isEmpty();
  }

  private static String ofOldRunner(String hello) {
    return hello.replace("[\"refuse\"]", "[\"datasets\"]");
  }

  @Test
  void aRunWhoseJobInAPodThatCannotRefuseHasOtherSnapshotsGetsTheNext() throws Exception {
    bindWithSnapshots();
    f.runner.on("/v1/hello", json(200, ofOldRunner(stagedWith("0".repeat(64)))));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);
    assertThat(f.status().pod()).isNull();
    assertThat(f.runner.ops()).isEmpty();
  }

  @Test
  void aRunThatIsStagedOnItsSnapshotsIsStartedByWhoeverResumesItAlsoIfTheyWereReplacedSince()
      throws Exception {
    bindWithSnapshots();
    f.currentSnapshots = OTHER_SNAPSHOTS;
    f.runner.on("/v1/hello", json(200, stagedWith(RunJob.digest(SNAPSHOTS))));
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().snapshots()).isEqualTo(SNAPSHOTS);
    assertThat(f.runner.ops()).containsExactly("start", "ack");
  }

  @ParameterizedTest
  @ValueSource(strings = {"NotFound", "TooLarge", "WrongKind"})
  void aRunWhoseDatasetsAWarmPodCannotOpenGetsAnotherPodAtOnce(String code) throws Exception {
    f.snapshots = SNAPSHOTS;
    f.runner.on("/v1/stage", refusal(404, code));
    RunExecution execution = f.execution();

    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(f.status().pod()).as("it was given back").isNull();
    assertThat(f.refusals.contain(Samples.NAMESPACE, RUN_UID, SNAPSHOTS)).isTrue();
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aWarmPodThatNeverAnswersOnceItHasToOpenDatasetsUsesUpNoOther() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.runner.on("/v1/stage", nothing());

    assertGivenBack(f.execution());

    assertThat(f.refusals.contain(Samples.NAMESPACE, "another run", SNAPSHOTS)).isTrue();
    assertThat(f.refusals.contain(Samples.NAMESPACE, RUN_UID, List.of())).isFalse();
  }

  @Test
  void aRefusalThatIsNotOfTheDatasetsIsNotRememberedForThem() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.runner.on("/v1/stage", refusal(403, "Expired"));

    assertThat(f.execution().run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(f.refusals.contain(Samples.NAMESPACE, "another run", SNAPSHOTS)).isFalse();
  }

  @Test
  void aRunWhoseJobAWarmPodRefusesGetsAPodOfItsOwnNext() throws Exception {
    f.runner.on("/v1/stage", refusal(400, "Malformed"));

    assertGivenBack(f.execution());

    assertThat(f.refusals.contain(Samples.NAMESPACE, RUN_UID, List.of())).isTrue();
    assertThat(f.refusals.contain(Samples.NAMESPACE, "another run", List.of())).isFalse();
  }

  @Test
  void aRunWhoseInputIsNotJsonIsInvalidAndUsesUpOneWarmPod() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec().withInput("[1"), run.getStatus()));
    RunExecution execution = f.execution();

    assertThat(execution.run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.InvalidSpec);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(stagedRuns()).doesNotContain(RUN_UID);
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aPodThatIsGivenAnotherRunMeanwhileIsNotDeletedWithAnInvalidOne() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec().withInput("[1"), run.getStatus()));
    f.runner.on(
        "/v1/hello",
        json(200, helloOf(POD_UID)),
        json(200, ofRun(helloOf(POD_UID, "Started"), "another-run")));

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.InvalidSpec);
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aPodWithAnotherRunIsLeftToItAlsoWhereTheRunIsBoundElsewhere() throws Exception {
    f.runner.on("/v1/stage", refusal(409, "RunMismatch"));
    RunExecution execution = f.execution();
    bind("pod-of-another-leader");

    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(podIsDeleted()).isFalse();
    assertThat(f.runner.ops()).doesNotContain("start");
  }

  @Test
  void anotherJobOfTheRunMayHaveOtherSnapshots() throws Exception {
    f.snapshots = SNAPSHOTS;
    f.runner.on("/v1/stage", refusal(409, "BytesChanged"));
    RunExecution execution = f.execution();

    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(f.runner.ops()).doesNotContain("start");
  }

  @Test
  void aRunIsNotStartedOnOtherSnapshotsThanThoseThatAnotherLeaderBoundItWith() throws Exception {
    f.snapshots = SNAPSHOTS;
    RunExecution execution = f.execution();
    bind();

    assertLeftToTheOtherLeader(execution);
  }

  @Test
  void aRunThatAnotherLeaderHasBoundIsNotEndedByWhatThisOneSeesOfItsPod() throws Exception {
    f.snapshots = SNAPSHOTS;
    for (String state : List.of("Staged", "Started", "Finished")) {
      f.runner.on("/v1/hello", json(200, ofRun(helloOf(POD_UID, state), RUN_UID)));
      assertLeftToTheOtherLeader(boundByAnotherLeader());
    }
    f.runner.on("/v1/hello", json(200, helloOf(POD_UID)));
    for (String code : List.of("BytesChanged", "RunMismatch", "Expired", "NotFound")) {
      f.runner.on("/v1/stage", refusal(409, code));
      assertLeftToTheOtherLeader(boundByAnotherLeader());
    }
    f.runner.on("/v1/stage", nothing());
    assertLeftToTheOtherLeader(boundByAnotherLeader());
    f.runner.on(
        "/v1/hello", meanwhile(() -> f.clock.advance(Duration.ofSeconds(1))).then(nothing()));
    assertLeftToTheOtherLeader(boundByAnotherLeader());
  }

  /** The execution of a run that is bound behind the cache. */
  private RunExecution boundByAnotherLeader() {
    f.runBecomes(run -> Samples.run(run.getSpec(), null));
    RunExecution execution = f.execution();
    bind();
    return execution;
  }

  private void assertLeftToTheOtherLeader(RunExecution execution) throws InterruptedException {
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.status().reason()).isEqualTo(RunReason.Bound);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(podIsDeleted()).isFalse();
  }

  @Test
  void aRunWhosePodHasItsJobWithOtherSnapshotsGetsTheNext() throws Exception {
    bindWithSnapshots();
    f.runner.on("/v1/hello", json(200, stagedWith("0".repeat(64))));
    RunExecution execution = f.execution();

    assertThat(execution.run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(f.status().pod()).isNull();
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.runner.ops()).containsOnly("refuse");
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aRunWhosePodHasItsJobWithItsSnapshotsIsStartedThereByWhoeverResumesIt() throws Exception {
    bindWithSnapshots();
    f.runner.on("/v1/hello", json(200, stagedWith(RunJob.digest(SNAPSHOTS))));
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.runner.ops()).containsExactly("start", "ack");
  }

  @Test
  void aRunThatIsBoundToItsPodAgainWithTheSnapshotsOfItsJobGetsTheNextOnceThatRefuses()
      throws Exception {
    bindWithSnapshots();
    f.runner.on(
        "/v1/hello",
        meanwhile(() -> bindWith(OTHER_SNAPSHOTS))
            .then(json(200, stagedWith(RunJob.digest(OTHER_SNAPSHOTS)))),
        json(200, helloOf(POD_UID, "Refused")));

    assertThat(f.execution().run()).isEqualTo(Outcome.NEXT_POD);

    assertThat(f.status().pod()).isNull();
    assertThat(f.runner.ops()).containsOnly("refuse");
    assertThat(podIsDeleted()).isTrue();
  }

  @Test
  void aRunThatIsBoundToItsPodAgainWithOtherSnapshotsIsNotStartedOnThoseBefore() throws Exception {
    bindWithSnapshots();
    f.runner.on(
        "/v1/hello",
        meanwhile(() -> bindWith(OTHER_SNAPSHOTS))
            .then(json(200, stagedWith(RunJob.digest(SNAPSHOTS)))));

    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);

    assertThat(bound().dispatcher()).isEqualTo("process-0");
    assertThat(f.runner.ops()).isEmpty();
  }

  private static String stagedWith(String digest) {
    return ofRun(helloOf(POD_UID, "Staged"), RUN_UID)
        .replace("\"keyIds\"", "\"snapshots\":\"" + digest + "\",\"keyIds\"");
  }

  private void bindWithSnapshots() {
    bindWith(SNAPSHOTS);
  }

  private void bindWith(List<PinnedSnapshot> snapshots) {
    f.runBecomes(run -> Samples.run(run.getSpec(), null));
    bind();
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(),
                Objects.requireNonNull(run.getStatus()).with().snapshots(snapshots).build()));
  }

  private boolean lookedAtAtOnce() throws Exception {
    f.podIsWarm();
    ManualThreads afterPause = new ManualThreads();
    AtomicInteger lookedAt = new AtomicInteger();
    RunDispatcher dispatcher = new RunDispatcher(f.services, afterPause);
    dispatcher.execute(f.request(), f.view(), lookedAt::incrementAndGet);
    assertThat(dispatcher.podUids()).containsExactly(POD_UID);
    f.threads.awaitIdle();
    assertThat(lookedAt.get() + afterPause.waiting()).isEqualTo(1);
    return lookedAt.get() == 1;
  }

  private void bind() {
    bind(POD_UID);
  }

  private void bind(String podUid) {
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(),
                Bindings.status(
                    run,
                    BoundPodBuilder.builder()
                        .name("warm-python-1")
                        .uid(podUid)
                        .warm(true)
                        .nonce(FakeRunner.NONCE)
                        .dispatcher("process-0")
                        .build(),
                    f.clock.instant())));
  }

  private boolean podIsDeleted() {
    return !f.api.requests("DELETE", PODS).isEmpty();
  }
}
