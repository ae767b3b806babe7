package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.POD_UID;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.run.execution.ExecutionFixture.PODS;
import static dev.assay.operator.run.execution.ExecutionFixture.RUN_STATUS;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.helloOf;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a run is executed in its Pod, and when a Pod may not execute it. */
class RunExecutionTest {
  private static final FakeRunner.Answer SUCCESS =
      events(started(1), output(2, 0, "hi\n"), result(3, "Succeeded", 3));

  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void aRunIsBoundStartedAndFinishedEachOnTheVersionBefore() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "hi\n"))
            .then(meanwhile(() -> f.awaitWritten(RunReason.Started)))
            .then(more(result(3, "Succeeded", 3))));

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.reasons()).containsExactly("Bound", "Started", "Completed");
    assertThat(f.api.requests("GET", "/analyticsruns/"))
        .as("read for the cache, and neither for its code nor because of a conflict")
        .hasSize(1);
    AnalyticsRunStatus status = f.status();
    assertThat(status.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(status.payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(status.pod())
        .isEqualTo(
            BoundPodBuilder.builder()
                .name("run-" + RUN_UID)
                .uid(POD_UID)
                .nonce(FakeRunner.NONCE)
                .dispatcher(ExecutionFixture.DISPATCHER)
                .build());
    assertThat(Objects.requireNonNull(status.result()).output()).isEqualTo("hi\n");
    assertThat(f.output()).isEqualTo("hi\n");
    assertThat(f.outputs.isComplete(NAMESPACE, RUN_UID)).isTrue();
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
  }

  @Test
  void theRunnerIsGivenTheWholeCodeAndTheLimits() throws Exception {
    f.runner.on("/v1/start", SUCCESS);
    f.execution().run();
    JsonNode job = f.runner.accepted().getFirst().path("job");
    assertThat(job.path("code").asText()).isEqualTo("print(1)");
    assertThat(job.path("limits"))
        .hasToString(
            "{\"timeoutMs\":30000,\"startTimeoutMs\":60000,\"stopGraceMs\":500,\"outputBytes\":32}");
  }

  @Test
  void stagingBindingAndShorteningThePodsLifeHappenAtTheSameTime() throws Exception {
    CyclicBarrier allThree = new CyclicBarrier(3);
    f.runner.on(
        "/v1/stage",
        meanwhile(() -> allThree.await(20, TimeUnit.SECONDS))
            .then(json(200, "{\"state\":\"Staged\"}")));
    f.api.intercept(
        request -> {
          if (request.is("PATCH", PODS)
              || ExecutionFixture.reason(request.body()).equals("Bound")) {
            awaitAll(allThree);
          }
          return Optional.empty();
        });
    f.runner.on("/v1/start", SUCCESS);

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.api.read(Samples.runningPod(1)).getSpec().getActiveDeadlineSeconds())
        .as("60 s to start, 30 s to run, 500 ms to stop, 15 s to collect files, and some slack")
        .as("what the run may take, and an hour for an output store that is away")
        .isEqualTo(121 + 3600);
  }

  @Test
  void theStartIsNotSentBeforeTheBindIsWritten() throws Exception {
    CountDownLatch staged = new CountDownLatch(1);
    AtomicReference<@Nullable BoundPod> boundAtStart = new AtomicReference<>();
    f.runner.on(
        "/v1/stage", json(200, "{\"state\":\"Staged\"}").then(meanwhile(staged::countDown)));
    f.api.intercept(
        request -> {
          if (ExecutionFixture.reason(request.body()).equals("Bound")) {
            assertThat(staged.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(f.runner.ops()).containsExactly("stage");
          }
          return Optional.empty();
        });
    f.runner.on("/v1/start", meanwhile(() -> boundAtStart.set(f.status().pod())).then(SUCCESS));

    f.execution().run();

    assertThat(boundAtStart.get()).isNotNull();
  }

  @Test
  void aRunThatAnotherPodHasIsLeftToIt() throws Exception {
    RunExecution execution = f.execution();
    BoundPod other = BoundPodBuilder.builder().name("run-x").uid("another-uid").nonce("n").build();
    f.runBecomes(run -> Samples.run(run.getSpec(), boundTo(other)));

    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);

    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.status()).isEqualTo(boundTo(other));
  }

  @Test
  void aRunThatAnotherProcessOfTheSamePodHasIsNotStarted() throws Exception {
    RunExecution execution = f.execution();
    BoundPod earlier =
        BoundPodBuilder.builder()
            .name("run-" + RUN_UID)
            .uid(POD_UID)
            .nonce("an-earlier-nonce")
            .build();
    f.runBecomes(run -> Samples.run(run.getSpec(), boundTo(earlier)));

    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);

    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.status()).isEqualTo(boundTo(earlier));
  }

  @Test
  void aRunThatIsNotThisPodsIsNotEndedBecauseItCouldNotBeStagedHere() throws Exception {
    RunExecution execution = f.execution();
    BoundPod other = BoundPodBuilder.builder().name("run-x").uid("another-uid").nonce("n").build();
    f.runBecomes(run -> Samples.run(run.getSpec(), boundTo(other)));
    f.runner.on("/v1/stage", refusal(409, "RunMismatch"));

    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);

    assertThat(f.status()).isEqualTo(boundTo(other));
  }

  @Test
  void aRunThatWasCancelledMeanwhileIsNotBound() throws Exception {
    RunExecution execution = f.execution();
    f.cancelIsRequested();
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.api.read(Samples.run()).getStatus()).isNull();
  }

  @Test
  void aRunThatIsGoneIsNotBound() throws Exception {
    RunExecution execution = f.execution();
    f.api.remove(Samples.run());
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.output()).isEmpty();
  }

  @Test
  void anotherRunOfTheSameNameIsNotTouched() throws Exception {
    RunExecution execution = f.execution();
    f.runBecomes(
        run -> {
          run.getMetadata().setUid("another-run");
          return run;
        });
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.api.read(Samples.run()).getStatus()).isNull();
  }

  @Test
  void anApiServerThatCannotBindIsNoReasonToStartOrToEndTheRun() {
    f.api.refuse("PATCH", RUN_STATUS, 500, "InternalError", "etcd is away");
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(RuntimeException.class);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void aRunWhoseCodeCannotBeReadNowIsNotStarted() {
    RunExecution execution = f.execution();
    f.loseTexts();
    f.api.refuse("GET", "/analyticsruns/", 500, "InternalError", "etcd is away");
    assertThatThrownBy(execution::run).isInstanceOf(RuntimeException.class);
    assertThat(f.runner.ops()).doesNotContain("start");
  }

  @Test
  void aJobThatWasStagedBeforeIsNotStagedAgain() throws Exception {
    f.runner.on("/v1/hello", json(200, helloOf(POD_UID, "Staged")));
    f.runner.on("/v1/start", SUCCESS);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.ops()).containsExactly("start", "ack");
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
  }

  @Test
  void aRunThatWasBoundByAnEarlierOperatorIsTakenOver() throws Exception {
    BoundPod bound =
        BoundPodBuilder.builder()
            .name("run-" + RUN_UID)
            .uid(POD_UID)
            .nonce(FakeRunner.NONCE)
            .build();
    f.runBecomes(run -> Samples.run(run.getSpec(), boundTo(bound)));
    f.runner.on("/v1/hello", json(200, helloOf(POD_UID, "Started")));
    f.runner.on("/v1/start", SUCCESS);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.reasons()).endsWith("Completed");
    assertThat(f.status().pod()).isEqualTo(bound.withDispatcher(ExecutionFixture.DISPATCHER));
    assertThat(f.runner.ops()).containsExactly("start", "ack");
  }

  @Test
  void aJobThatALeaderBeforeHasLeftIsStarted() throws Exception {
    f.runner.on("/v1/stage", refusal(409, "BytesChanged"));
    f.runner.on("/v1/start", SUCCESS);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.reasons()).endsWith("Completed");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
  }

  @Test
  void aJobThatItsRunnerRefusesIsNotStarted() throws Exception {
    f.runner.on("/v1/stage", refusal(422, "WrongKind"));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message())
        .isEqualTo("The code was not started: the runner refused it with WrongKind");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void aRunWhoseInputIsNotJsonIsInvalidAndIsNotGivenToItsRunner() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec().withInput("{'a': 1}"), run.getStatus()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.InvalidSpec);
    assertThat(f.status().message()).startsWith("spec.input must be a single JSON value");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).isEmpty();
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void aRunnerThatTheJobDoesNotReachIsLostAndNothingWasStarted() throws Exception {
    f.runner.on("/v1/stage", nothing());
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void thePodIsLetGoAfterTheFinalStatusAndThenEndsByItself() throws Exception {
    AtomicReference<@Nullable RunPhase> phaseAtAck = new AtomicReference<>();
    f.runner.on("/v1/start", SUCCESS);
    f.runner.on(
        "/v1/ack", meanwhile(() -> phaseAtAck.set(f.status().phase())).then(json(200, "{}")));
    f.execution().run();
    assertThat(phaseAtAck.get()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.runner.accepted().getLast().path("seq").asLong()).isEqualTo(3);
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void aPodThatCannotBeLetGoIsDeleted() throws Exception {
    f.runner.on("/v1/start", SUCCESS);
    f.runner.on("/v1/ack", refusal(500, "Broken"));
    f.execution().run();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void aRunWhoseEndCannotBeWrittenKeepsItsPod() {
    f.runner.on("/v1/start", SUCCESS);
    f.api.intercept(
        request ->
            ExecutionFixture.reason(request.body()).equals("Completed")
                ? Optional.of(FakeApiServer.failure(500, "InternalError", "etcd is away"))
                : Optional.empty());
    assertThatThrownBy(() -> f.execution().run()).isInstanceOf(RuntimeException.class);
    assertThat(f.runner.ops()).doesNotContain("ack");
    assertThat(f.podIsDeleted()).isFalse();
    assertThat(f.output()).isEqualTo("hi\n");
  }

  @Test
  void aRunThatIsDeletedMeanwhileLeavesNeitherOutputNorPod() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "hi\n"))
            .then(meanwhile(() -> f.api.remove(Samples.run())))
            .then(more(result(3, "Succeeded", 3))));
    RunExecution execution = f.execution();
    assertThat(execution.run()).isEqualTo(Outcome.DELETED);
    assertThat(f.output()).isEmpty();
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void codeThatLastsAndAFailureAreToldAsEvents() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "hi\n"))
            .then(meanwhile(() -> f.awaitWritten(RunReason.Started)))
            .then(more(result(3, "CodeError", 3))));
    f.execution().run();
    f.api.await("POST", "/events", event -> event.path("reason").asText().equals("Started"));
    f.api.await("POST", "/events", event -> event.path("reason").asText().equals("CodeError"));
    assertThat(f.api.requests("POST", "/events"))
        .hasSize(2)
        .allSatisfy(
            request ->
                assertThat(request.body().at("/involvedObject/uid").asText()).isEqualTo(RUN_UID));
  }

  @Test
  void aShortRunThatCompletesIsToldByItsStatusAlone() throws Exception {
    f.runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
    f.execution().run();
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    f.threads.awaitIdle();
    assertThat(f.api.requests("POST", "/events")).isEmpty();
  }

  private static void awaitAll(CyclicBarrier barrier) throws InterruptedException {
    try {
      barrier.await(20, TimeUnit.SECONDS);
    } catch (java.util.concurrent.BrokenBarrierException
        | java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  private static AnalyticsRunStatus boundTo(BoundPod pod) {
    return Bindings.status(Samples.run(), pod, Instant.parse(Samples.CREATED));
  }
}
