package dev.assay.operator.run.execution;

import static dev.assay.operator.run.execution.ExecutionFixture.PODS;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunExecutionCancelTest {
  private final ExecutionFixture f = new ExecutionFixture();
  private final RunExecution execution = f.execution();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void beforeTheBindNothingIsBoundAndNobodyIsTold() throws Exception {
    f.runner.on(
        "/v1/hello",
        meanwhile(
                () -> {
                  f.cancelIsRequested();
                  execution.cancel();
                })
            .then(json(200, FakeRunner.helloOf(Samples.POD_UID))));
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).doesNotContain("start", "cancel");
  }

  @Test
  void aPodThatIsLostBeforeTheBindLeavesTheDecisionToTheReconciler() throws Exception {
    f.runner.on(
        "/v1/hello",
        meanwhile(
                () -> {
                  f.cancelIsRequested();
                  execution.cancel();
                  f.podGoes();
                })
            .then(refusal(503, "NotYet")));
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.reasons()).isEmpty();
  }

  @Test
  void betweenBindAndStartTheRunnerIsToldFirstAndNeverStartsTheCode() throws Exception {
    f.runner.on(
        "/v1/stage",
        meanwhile(
                () -> {
                  f.awaitWritten(RunReason.Bound);
                  execution.cancel();
                })
            .then(json(200, "{\"state\":\"Staged\"}")));
    f.runner.on("/v1/start", events(result(1, "Cancelled", 0)));
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.ops()).containsExactly("stage", "cancel", "start", "ack");
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
  }

  @Test
  void aPodThatIsLostBetweenBindAndStartOfACancelledRunStartedNothing() throws Exception {
    f.runner.on(
        "/v1/stage",
        meanwhile(
                () -> {
                  f.awaitWritten(RunReason.Bound);
                  execution.cancel();
                  f.podGoes();
                })
            .then(nothing()));
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).doesNotContain("start", "cancel");
  }

  @Test
  void afterTheStartTheRunnerIsToldOnceAndTheOutputIsKept() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    f.runner.on(
        "/v1/cancel", meanwhile(told::countDown).then(json(200, "{\"state\":\"Started\"}")));
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "so far\n"))
            .then(
                meanwhile(
                    () -> {
                      execution.cancel();
                      execution.cancel();
                      assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
                      execution.cancel();
                    }))
            .then(more(result(3, "Cancelled", 7))));
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.ops()).containsExactly("stage", "start", "cancel", "ack");
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(Objects.requireNonNull(f.status().result()).output()).isEqualTo("so far\n");
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void aRunnerThatCannotBeToldLosesItsPod() throws Exception {
    f.runner.on("/v1/cancel", refusal(500, "Broken"));
    f.runner.on(
        "/v1/start",
        events(started(1), output(2, 0, "so far\n"))
            .then(
                meanwhile(
                    () -> {
                      execution.cancel();
                      f.api.await("DELETE", PODS, body -> true);
                      f.podGoes();
                    })));
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(Objects.requireNonNull(f.status().result()).output()).isEqualTo("so far\n");
    assertThat(f.api.requests("DELETE", PODS)).as("deleted once").hasSize(1);
  }

  @Test
  void codeThatEndsByItselfMeanwhileHasEndedByItself() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1))
            .then(meanwhile(execution::cancel))
            .then(more(result(2, "Succeeded", 0))));
    assertThat(execution.run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
  }
}
