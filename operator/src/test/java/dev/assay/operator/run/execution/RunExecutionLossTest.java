package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.POD_UID;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.run.status.RunTransitions;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Job;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the status of a run reports if its Pod or runner is lost: its start, and its output. */
@Tag("slow")
class RunExecutionLossTest {
  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void aPodThatGoesBeforeTheBindLeavesTheRunToAnother() throws Exception {
    f.runner.on("/v1/hello", meanwhile(f::podGoes).then(refusal(503, "NotYet")));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.reasons()).isEmpty();
    assertThat(f.runner.ops()).isEmpty();
  }

  @Test
  void aPodThatIsEvictedBeforeTheBindLeavesTheRunToAnother() throws Exception {
    f.runner.on(
        "/v1/hello",
        meanwhile(() -> f.podBecomes(pod -> failed(pod, "Evicted"))).then(refusal(503, "NotYet")));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.reasons()).isEmpty();
  }

  @Test
  void aPodThatEndsByItselfBeforeTheBindLeavesTheDecisionToTheReconciler() throws Exception {
    f.runner.on(
        "/v1/hello",
        meanwhile(() -> f.podBecomes(pod -> failed(pod, null))).then(refusal(503, "NotYet")));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.reasons()).isEmpty();
  }

  @Test
  void aPodThatGoesBetweenBindAndStartIsLostAndNothingWasStarted() throws Exception {
    f.runner.on(
        "/v1/stage",
        meanwhile(
                () -> {
                  f.awaitWritten(RunReason.Bound);
                  f.podGoes();
                })
            .then(nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).doesNotContain("start");
  }

  @Test
  void aStartThatNobodyAnsweredMayHaveHappened() throws Exception {
    f.runner.on("/v1/start", meanwhile(f::podGoes).then(nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
  }

  @Test
  void aPodThatGoesAfterTheStartLeavesWhatHadCome() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "so far\n"))
            .then(
                meanwhile(
                    () -> {
                      f.awaitWritten(RunReason.Started);
                      f.podGoes();
                    })));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.reasons()).containsExactly("Bound", "Started", "PodLost");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(written().output()).isEqualTo("so far\n");
    assertThat(f.output()).isEqualTo("so far\n");
  }

  @Test
  void aPodThatGoesRightAfterTheStartIsToldToHaveStarted() throws Exception {
    f.runner.on(
        "/v1/start", events(started(1), output(2, 0, "so far\n")).then(meanwhile(f::podGoes)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(written().output()).isEqualTo("so far\n");
  }

  @Test
  void aPodThatEndsAfterTheStartTellsWhyAndIsLeftToItsClass() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "so far\n"))
            .then(meanwhile(() -> f.podBecomes(pod -> failed(pod, "Evicted")))));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().message()).contains("Evicted");
    assertThat(written().output()).isEqualTo("so far\n");
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void aRestartedRunnerDoesNotGetTheRunAgain() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, "an-earlier-nonce")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertThat(f.runner.ops()).isEmpty();
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void aCancelledRunWhoseRunnerWasRestartedIsCancelled() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, "an-earlier-nonce")));
    RunExecution execution = f.execution();
    execution.cancel();
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertThat(f.runner.ops()).isEmpty();
  }

  @Test
  void aPodWhoseKeyIsUnknownIsNotSpokenTo() throws Exception {
    f.podBecomes(
        pod ->
            new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .editFirstEnv()
                .withValue("k-of-nobody=AAAA")
                .endEnv()
                .endContainer()
                .endSpec()
                .build());
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("key");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).isEmpty();
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void aPodWhoseKeyIsUnknownToALaterOperatorMayHaveStartedTheRun() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    f.podBecomes(
        pod ->
            new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .withEnv(List.of())
                .endContainer()
                .endSpec()
                .build());
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
  }

  @Test
  void aResumedRunThatItsRunnerCannotDoMayHaveBeenStartedByAnotherLeader() throws Exception {
    f.runBecomes(
        run -> Samples.run(run.getSpec().withLanguage(Language.SQL), bound(run, FakeRunner.NONCE)));
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, "Staged")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
  }

  @Test
  void aResumedRunThatWasStartedIsFollowedWhateverItsClassNeedsNow() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    f.guard = new Job.Guard(List.of());
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, "Started")));
    f.runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  @Test
  void aRunnerThatCannotBeReachedUntilTheTimeIsOverIsLost() throws Exception {
    f.runner.on("/v1/start", events(started(1), output(2, 0, "so far\n")));
    f.runner.on(
        "/v1/attach",
        nothing(),
        meanwhile(() -> f.clock.advance(Duration.ofMinutes(2))).then(nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(written().output()).isEqualTo("so far\n");
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void outputThatWasStoredByAnEarlierOperatorIsToldWhenThePodIsLost() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    f.outputs.append(Samples.NAMESPACE, RUN_UID, 0, "before\n".getBytes(UTF_8));
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, "Started")));
    f.runner.on("/v1/start", meanwhile(f::podGoes).then(nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(written().output()).isEqualTo("before\n");
    assertThat(written().storedBytes()).isEqualTo(7);
  }

  @Test
  void aWorkerThatIsKilledForMemoryIsToldFromThePodsStatus() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "so far\n"), result(3, "WorkerLost", 7))
            .then(meanwhile(() -> f.podBecomes(pod -> workerEnded(pod, "OOMKilled")))));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.MemoryExceeded);
    assertThat(f.status().message()).contains("512Mi");
    assertThat(written().output()).isEqualTo("so far\n");
  }

  @Test
  void aWorkerThatEndsOtherwiseIsLost() throws Exception {
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on("/v1/start", events(started(1), result(2, "WorkerLost", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("Error");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"HandoverFailed", "ProcessEnded", "WorkerLost", "OSError", "BlockingIOError"})
  void aRunWhoseWorkerEndedBeforeAnyCodeRanIsGivenToAnotherPod(String type) throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, type, "killed by signal 9")));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Pending);
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.status().message()).isEqualTo("another Pod is tried: killed by signal 9");
    assertThat(f.status().pod()).isNull();
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void whatAWorkerSaidThatDidNotComeUpIsNotTheBeginningOfTheNextOnesOutput() throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on(
        "/v1/start",
        events(output(1, 0, "cannot fork"), FakeRunner.startFailed(2, "OSError", "no", 11)));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.output()).isEmpty();
  }

  @Test
  void aRunGetsAnotherPodOnlyWhenTheOutputOfTheFirstIsRemoved() throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on(
        "/v1/start",
        events(output(1, 0, "cannot fork"), FakeRunner.startFailed(2, "OSError", "no", 11)));
    List<String> atDeletion = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (request.is("PATCH", ExecutionFixture.RUN_STATUS)
              && ExecutionFixture.reason(request.body()).equals(RunReason.WaitingForPod.name())) {
            f.outputs.failNext(3);
          }
          if (request.is("DELETE", ExecutionFixture.PODS)) {
            atDeletion.add(f.output());
          }
          return Optional.empty();
        });
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(atDeletion).containsExactly("");
  }

  @Test
  void aRunThatTheNextLeaderHasGivenToAnotherPodKeepsWhatItHasThere() throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, "ProcessEnded", "signal 9")));
    AnalyticsRunStatus ofTheNextPod =
        Bindings.status(
            Samples.run(), Bindings.ownPod("uid-of-the-next", "nonce"), f.clock.instant());
    f.api.intercept(
        request -> {
          boolean releases =
              request.is("PATCH", ExecutionFixture.RUN_STATUS)
                  && ExecutionFixture.reason(request.body()).equals(RunReason.WaitingForPod.name());
          if (releases && f.status().reason() == RunReason.Bound) {
            appendQuietly("of the next");
            f.runBecomes(run -> Samples.run(run.getSpec(), ofTheNextPod));
          }
          return Optional.empty();
        });
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.status()).isEqualTo(ofTheNextPod);
    assertThat(f.output()).isEqualTo("of the next");
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void theOutputOfARunThatTheNextLeaderHasReleasedIsLeftToThatLeader() throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, "ProcessEnded", "signal 9")));
    f.api.intercept(
        request -> {
          if (releases(request) && f.status().reason() == RunReason.Bound) {
            f.runBecomes(run -> Samples.run(run.getSpec(), released(run)));
            appendQuietly("of the next");
          }
          return Optional.empty();
        });
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.output()).isEqualTo("of the next");
    assertThat(f.podIsDeleted()).as("it can start no job").isTrue();
  }

  @Test
  void theOutputOfTheNextPodIsKeptAlthoughTheRunWasReleasedHere() throws Exception {
    f.retryMessage = "another Pod is tried: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, "ProcessEnded", "signal 9")));
    f.api.intercept(
        request -> {
          if (request.is("GET", "/analyticsruns/")
              && f.reasons().contains(RunReason.WaitingForPod.name())
              && f.status().pod() == null) {
            appendQuietly("of the next");
            f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, "nonce-of-the-next")));
          }
          return Optional.empty();
        });
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.output()).isEqualTo("of the next");
  }

  private static boolean releases(FakeApiServer.Request request) {
    return request.is("PATCH", ExecutionFixture.RUN_STATUS)
        && ExecutionFixture.reason(request.body()).equals(RunReason.WaitingForPod.name());
  }

  private static AnalyticsRunStatus released(AnalyticsRun run) {
    return RunTransitions.released(run, POD_UID, "by the next leader").orElseThrow();
  }

  private void appendQuietly(String text) {
    try {
      f.outputs.append(Samples.NAMESPACE, RUN_UID, 0, text.getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRunThatMayHaveNoOtherPodFailsToStart() throws Exception {
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, "ProcessEnded", "signal 9")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("signal 9");
  }

  @ParameterizedTest
  @ValueSource(strings = {"MemoryExceeded", "SnapshotError", "WrongWorker", "ImportError"})
  void aStartThatWouldFailInAnyPodIsNotTriedAgain(String type) throws Exception {
    f.retryMessage = "again: ";
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, type, "no")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
  }

  @Test
  void aWorkerThatNeedsMoreMemoryToStartThanItsClassHasIsNotTriedAgain() throws Exception {
    f.retryMessage = "again: ";
    f.podBecomes(pod -> workerEnded(pod, "OOMKilled"));
    f.runner.on("/v1/start", events(FakeRunner.startFailed(1, "WorkerLost", "gone")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("exceeds the memory limit", "512Mi");
  }

  @Test
  void codeThatHasStartedIsNeverGivenToAnotherPodWhateverItsResultClaims() throws Exception {
    f.retryMessage = "again: ";
    f.podBecomes(pod -> workerEnded(pod, "Error"));
    f.runner.on(
        "/v1/start", events(started(1), FakeRunner.startFailed(2, "ProcessEnded", "signal 9")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Started", "Finished"})
  void aPodThatServedAnEarlierAttemptIsNotBoundAgain(String state) throws Exception {
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, state)));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.reasons()).isEmpty();
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void aRunThatAnotherLeaderBoundMeanwhileIsNotEndedByWhatThisOneSeesOfItsPod() throws Exception {
    for (FakeRunner.Answer answer : List.of(refusal(409, "RunMismatch"), nothing())) {
      f.runBecomes(run -> Samples.run(run.getSpec(), null));
      RunExecution behind = f.execution();
      f.runner.on("/v1/stage", answer);
      f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));

      assertThat(behind.run()).isEqualTo(Outcome.AGAIN);
      assertThat(f.status().reason()).isEqualTo(RunReason.Bound);
      assertThat(f.podIsDeleted()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Expired", "BytesChanged", "RunMismatch"})
  void aRunThatIsResumedIsNotEndedByARefusalThatIsNotOfItsJob(String code) throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    f.runner.on("/v1/stage", refusal(409, code));
    f.runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
    f.execution().run();
    assertThat(f.status().reason()).isIn(RunReason.Bound, RunReason.Completed);
  }

  @Test
  void aRunThatIsResumedEndsIfItsRunnerRefusesItsJob() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    f.runner.on("/v1/stage", refusal(422, "WrongKind"));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
  }

  @Test
  void aRunThatWasBoundToARestartedRunnerMeanwhileIsNotStartedInTheOneBefore() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    f.runner.on(
        "/v1/hello",
        meanwhile(
                () -> f.runBecomes(run -> Samples.run(run.getSpec(), bound(Samples.run(), "next"))))
            .then(json(200, FakeRunner.helloOf(POD_UID, "Staged"))));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).doesNotContain("start");
    assertThat(f.status().reason()).isEqualTo(RunReason.Bound);
  }

  @Test
  void aRunThatAnotherProcessHasTakenOverIsNotEndedByOneThatCannotFollowIt() throws Exception {
    f.runner.on("/v1/stage", meanwhile(this::isTakenOver).then(refusal(401, "Expired")));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.status().reason()).isEqualTo(RunReason.Bound);
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void whatTheRunnerReportsEndsARunThatAnotherProcessHasTakenOver() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1))
            .then(meanwhile(this::isTakenOver))
            .then(more(result(2, "Succeeded", 0))));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  private void isTakenOver() throws InterruptedException {
    f.awaitWritten(RunReason.Bound);
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(), RunTransitions.retaken(run, POD_UID, "process-2").orElseThrow()));
  }

  @Test
  void aPodWhoseRunWasBoundBehindTheCacheIsLeftAlone() throws Exception {
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, "Started")));
    RunExecution execution = f.execution();
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run, FakeRunner.NONCE)));
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void aJobThatWasLeftInThePodIsStarted() throws Exception {
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, "Staged")));
    f.clock.advance(Duration.ofMinutes(4));
    f.runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  private RunResult written() {
    return Objects.requireNonNull(f.status().result());
  }

  private AnalyticsRunStatus bound(AnalyticsRun run, String nonce) {
    return Bindings.status(run, Bindings.ownPod(nonce), f.clock.instant());
  }

  private static Pod failed(Pod pod, @Nullable String reason) {
    return new PodBuilder(workerEnded(pod, "Error"))
        .editStatus()
        .withPhase("Failed")
        .withReason(reason)
        .endStatus()
        .build();
  }

  private static Pod workerEnded(Pod pod, String reason) {
    return new PodBuilder(pod)
        .editStatus()
        .addNewContainerStatus()
        .withName("worker")
        .withNewState()
        .withNewTerminated()
        .withReason(reason)
        .withExitCode(1)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }
}
