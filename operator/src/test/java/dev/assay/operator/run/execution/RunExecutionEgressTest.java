package dev.assay.operator.run.execution;

import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A run whose Pod must be refused a connection before it is given code. */
class RunExecutionEgressTest {
  private static final FakeRunner.Answer SUCCESS = events(started(1), result(2, "Succeeded", 0));
  private static final FakeRunner.Answer REFUSED = json(200, "{\"egress\":\"refused\"}");
  private static final FakeRunner.Answer CONNECTED = json(200, "{\"egress\":\"connected\"}");

  private final ExecutionFixture f = new ExecutionFixture();

  @BeforeEach
  void thePodHasAnAddressThatTheOperatorReaches() {
    f.egressTarget.resolve();
    f.podBecomes(pod -> new EgressAddress("127.0.0.1", f.runner.port()).writtenTo(pod));
    f.runner.on("/v1/hello", json(200, FakeRunner.helloWith("egress")));
    f.runner.on("/v1/start", SUCCESS);
  }

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void theRunIsBoundOnceThePodIsRefused() throws Exception {
    f.runner.on("/v1/egress", json(200, "{\"egress\":\"unknown\"}"), REFUSED);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.paths())
        .containsSubsequence("/v1/hello", "/v1/egress", "/v1/egress", "/v1/stage");
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.waiting.causes).isEmpty();
  }

  /** The worker still imports its libraries, which takes longer than the test. */
  @Test
  void thePodIsTestedAndTheRunIsBoundBeforeItsWorkerIsReady() throws Exception {
    f.runner.on("/v1/ready", json(200, "{\"ready\":false}"));
    f.runner.on("/v1/egress", REFUSED);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.paths()).contains("/v1/egress").doesNotContain("/v1/ready");
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  /** A refusal may have been lost packets. */
  @Test
  void aRunWhosePodCouldConnectIsBoundOnceThePodIsRefusedThreeTimesInARow() throws Exception {
    f.runner.on("/v1/egress", CONNECTED, REFUSED, REFUSED, CONNECTED, REFUSED);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.paths()).filteredOn("/v1/egress"::equals).hasSize(7);
    assertThat(f.runner.paths()).containsSubsequence("/v1/egress", "/v1/stage");
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.waiting.causes).as("a plugin takes a moment").isEmpty();
  }

  @Test
  void aRunWaitsInItsPodAndSaysWhyOnce() throws Exception {
    f.runner.on(
        "/v1/egress",
        meanwhile(() -> f.clock.advance(EgressCheck.GRACE)).then(CONNECTED),
        CONNECTED,
        json(200, "{\"egress\":\"unknown\"}"),
        REFUSED);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.waiting.causes)
        .extracting(cause -> cause.substring(0, cause.indexOf(':')))
        .containsExactly(
            "The network of its Pod is open", "The network of its Pod cannot be tested");
  }

  @Test
  void theTimeThatARunHasWaitedIsNotTakenFromIt() throws Exception {
    f.runner.on(
        "/v1/egress",
        meanwhile(() -> f.clock.advance(Duration.ofMinutes(10))).then(CONNECTED),
        REFUSED);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  @Test
  void afterItsPendingDeadlineARunIsNotBound() throws Exception {
    f.waiting.left = Duration.ZERO;
    f.runner.on("/v1/egress", meanwhile(() -> f.clock.advance(EgressCheck.GRACE)).then(CONNECTED));
    assertNotBound(f.execution());
    assertThat(f.waiting.causes).hasSize(1);
  }

  @Test
  void aRunThatIsCancelledMeanwhileIsNotBound() throws Exception {
    RunExecution execution = f.execution();
    f.runner.on("/v1/egress", meanwhile(execution::cancel).then(CONNECTED));
    assertNotBound(execution);
  }

  @Test
  void aRunWhosePodGoesMeanwhileIsNotBound() throws Exception {
    RunExecution execution = f.execution();
    f.runner.on("/v1/egress", meanwhile(f::podGoes).then(CONNECTED));
    assertNotBound(execution);
  }

  private void assertNotBound(RunExecution execution) throws InterruptedException {
    assertThat(execution.run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.runner.ops()).isEmpty();
    assertThat(f.reasons()).isEmpty();
  }

  @Test
  void aRunFailsAtOnceWhereTheRunnerHasNoTest() throws Exception {
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message())
        .contains("is too old for egressCheck", "set egressCheck: Disabled in the class");
    assertThat(f.runner.ops()).isEmpty();
  }

  @Test
  void aRunThatIsBoundAlreadyIsResumedAtOnce() throws Exception {
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(),
                Bindings.status(run, Bindings.ownPod(FakeRunner.NONCE), f.clock.instant())));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.paths()).doesNotContain("/v1/egress");
  }

  @Test
  void aWarmPodWasTestedWhileItWaited() throws Exception {
    f.podIsWarm();
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.paths()).contains("/v1/stage").doesNotContain("/v1/egress");
  }
}
