package dev.assay.operator.run.execution;

import static dev.assay.operator.run.execution.ExecutionFixture.OUTPUT_LIMIT;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.Samples;
import dev.assay.operator.output.OutputManifest;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Storing output: without gaps, within its limit, and without loss after a failure. */
@Tag("slow")
class RunExecutionOutputTest {
  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void outputWithAGapIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, 8, "far"));
  }

  @Test
  void outputThatOverlapsWhatCameBeforeIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, 5, "so much more"));
  }

  @Test
  void outputBeyondTheLimitIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, 7, "x".repeat(OUTPUT_LIMIT)));
  }

  @Test
  void outputBeyondAllNumbersIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, Long.MAX_VALUE, "xx"));
  }

  private void assertViolation(String event) throws InterruptedException {
    f.runner.on("/v1/start", events(started(1), output(2, 0, "so far\n"), event));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("violated the protocol");
    assertThat(written().output()).isEqualTo("so far\n");
    assertThat(f.output()).isEqualTo("so far\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start");
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void outputThatCannotBeStoredComesAgainUntilItIs() throws Exception {
    f.outputs.failNext(2);
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n"), output(3, 4, "two\n")));
    f.runner.on(
        "/v1/attach",
        events(output(2, 0, "one\n"), output(3, 4, "two\n"), result(4, "Succeeded", 8)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.output()).isEqualTo("one\ntwo\n");
    assertThat(written().output()).isEqualTo("one\ntwo\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "attach", "attach", "ack");
    assertThat(f.runner.accepted().get(3).path("afterSeq").asLong()).isEqualTo(1);
  }

  @Test
  void aRunWaitsForItsOutputStoreHoweverLongAndEndsAsItWouldHave() throws Exception {
    f.outputs.failNext(Integer.MAX_VALUE);
    CountDownLatch attempts = new CountDownLatch(4);
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n")));
    f.runner.on(
        "/v1/attach",
        meanwhile(attempts::countDown)
            .then(events(output(2, 0, "one\n"), result(3, "Succeeded", 4))));
    Future<Outcome> ended = begin();
    f.awaitWritten(RunReason.OutputStoreUnavailable);
    f.clock.advance(Duration.ofMinutes(10));
    assertThat(attempts.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Running);
    assertThat(f.status().message())
        .contains("/outputs", "the disk is full", "60 minutes", "volume");
    assertThat(f.podIsDeleted()).isFalse();

    f.outputs.failNext(0);
    assertThat(ended.get(20, TimeUnit.SECONDS)).isEqualTo(Outcome.ENDED);
    f.threads.awaitIdle();
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.status().conditions())
        .extracting(Condition::getType)
        .containsExactly("Bound", "Started", "Finished");
    assertThat(f.output()).isEqualTo("one\n");
    assertThat(written().output()).isEqualTo("one\n");
    assertThat(f.runner.ops().getLast()).isEqualTo("ack");
    assertThat(f.reasons()).containsOnlyOnce("OutputStoreUnavailable");
    assertThat(eventReasons()).containsOnlyOnce("OutputStoreUnavailable");
  }

  @Test
  void aPodThatEndsWhileItHoldsOutputThatWasNotStoredIsToldSo() throws Exception {
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n"), output(3, 4, "two\n")));
    f.runner.on(
        "/v1/attach",
        meanwhile(f::podGoes).then(events(output(3, 4, "two\n"), result(4, "Succeeded", 8))));
    f.outputs.failAfter(1);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().message()).endsWith("the end of its output could not be stored");
    assertThat(written().output()).isEqualTo("one\n");
  }

  @Test
  void outputOfAnEarlierOperatorIsWaitedForUntilItCanBeRead() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run)));
    f.outputs.append(Samples.NAMESPACE, Samples.RUN_UID, 0, "before\n".getBytes(UTF_8));
    f.outputs.failNext(3);
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    f.runner.on("/v1/start", meanwhile(f::podGoes).then(nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(written().output()).isEqualTo("before\n");
  }

  @Test
  void aRunEndsOnlyWhenItsOutputIsDurable() throws Exception {
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n"), result(3, "Succeeded", 4)));
    f.runner.on(
        "/v1/attach",
        events(result(3, "Succeeded", 4)),
        meanwhile(() -> f.outputs.failNext(0)).then(events(result(3, "Succeeded", 4))));
    f.outputs.failAfter(1);
    List<Boolean> atTheEnd = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (request.is("PATCH", ExecutionFixture.RUN_STATUS)
              && ExecutionFixture.reason(request.body()).equals("Completed")) {
            atTheEnd.add(f.outputs.isComplete(Samples.NAMESPACE, Samples.RUN_UID));
          }
          return Optional.empty();
        });
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    f.threads.awaitIdle();
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.runner.ops()).containsExactly("stage", "start", "attach", "attach", "ack");
    assertThat(atTheEnd).containsExactly(true);
    assertThat(eventReasons()).containsOnlyOnce("OutputStoreUnavailable");
    assertThat(manifest()).matches(manifest -> manifest.length() == 4 && !manifest.truncated());
  }

  @Test
  void outputPastTheLimitIsFinishedAsTruncated() throws Exception {
    f.runner.on(
        "/v1/start", events(started(1), output(2, 0, "one\n"), result(3, "Succeeded", 400)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(manifest()).matches(manifest -> manifest.length() == 4 && manifest.truncated());
  }

  @Test
  void outputWhoseEndIsUnknownIsFinishedAsTruncated() throws Exception {
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n")));
    f.runner.on("/v1/attach", meanwhile(f::podGoes).then(nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(manifest()).matches(manifest -> manifest.length() == 4 && manifest.truncated());
  }

  @Test
  void outputThatDiffersFromWhatAnEarlierOperatorStoredIsNotFollowedAnyFurther() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run)));
    f.outputs.append(Samples.NAMESPACE, Samples.RUN_UID, 0, "before\n".getBytes(UTF_8));
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    f.runner.on("/v1/start", events(started(1), output(2, 0, "after!\n")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("violated the protocol", "other bytes are stored");
    assertThat(written().output()).isEqualTo("before\n");
    assertThat(f.output()).isEqualTo("before\n");
  }

  @Test
  void outputOfAPodThatTheRunWasReleasedFromIsDeletedBeforeTheNextOneStarts() throws Exception {
    f.outputs.append(Samples.NAMESPACE, Samples.RUN_UID, 0, "no worker\n".getBytes(UTF_8));
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n"), result(3, "Succeeded", 4)));
    assertThat(f.executionWithoutIndex().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.output()).isEqualTo("one\n");
  }

  @Test
  void outputOfAReleasedPodThatTheIndexListsIsDeletedOnceTheStoreIsAvailable() throws Exception {
    f.outputs.append(Samples.NAMESPACE, Samples.RUN_UID, 0, "no worker\n".getBytes(UTF_8));
    f.loadIndex();
    f.outputs.failNext(2);
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n"), result(3, "Succeeded", 4)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    f.threads.awaitIdle();
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.output()).isEqualTo("one\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
  }

  @Test
  void codeWithoutEarlierOutputStartsWhileTheStoreIsUnavailable() throws Exception {
    f.outputs.failNext(Integer.MAX_VALUE);
    f.runner.on(
        "/v1/start",
        meanwhile(() -> f.outputs.failNext(0))
            .then(events(started(1), output(2, 0, "one\n"), result(3, "Succeeded", 4))));
    assertThat(f.executionWithoutIndex().run()).isEqualTo(Outcome.ENDED);
    f.threads.awaitIdle();
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.reasons()).doesNotContain("OutputStoreUnavailable");
    assertThat(f.output()).isEqualTo("one\n");
  }

  @Test
  void outputOfARunThatAnotherOperatorHasBoundBehindTheCacheIsKept() throws Exception {
    RunExecution execution = f.executionWithoutIndex();
    f.runBecomes(run -> Samples.run(run.getSpec(), bound(run)));
    f.outputs.append(Samples.NAMESPACE, Samples.RUN_UID, 0, "before\n".getBytes(UTF_8));
    f.runner.on("/v1/start", meanwhile(f::podGoes).then(nothing()));
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.output()).isEqualTo("before\n");
  }

  private OutputManifest manifest() throws IOException {
    return f.outputs.manifest(Samples.NAMESPACE, Samples.RUN_UID).orElseThrow();
  }

  private Future<Outcome> begin() {
    return f.threads.executor().submit(() -> f.execution().run());
  }

  private List<String> eventReasons() {
    return f.api.requests("POST", "/events").stream()
        .map(request -> request.body().path("reason").asText())
        .toList();
  }

  private AnalyticsRunStatus bound(AnalyticsRun run) {
    return Bindings.status(run, Bindings.ownPod(FakeRunner.NONCE), f.clock.instant());
  }

  @Test
  void outputThatComesAgainIsStoredOnce() throws Exception {
    f.runner.on("/v1/start", nothing(), events(started(1), output(2, 0, "one\n")));
    f.runner.on("/v1/attach", events(output(3, 4, "two\n"), result(4, "Succeeded", 8)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.output()).isEqualTo("one\ntwo\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "start", "attach", "ack");
  }

  private RunResult written() {
    return Objects.requireNonNull(f.status().result());
  }
}
