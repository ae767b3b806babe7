package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.POD_UID;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.helloWith;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.ClassToolsBuilder;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.Samples;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.tool.HoldingGateway;
import dev.assay.operator.tool.RunToolPolicy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How a run is followed whose code calls tools. There is no tool gateway, unless a test has one.
 */
class RunExecutionToolsTest {
  private static final String CALL =
      "{\"seq\":2,\"type\":\"tool_call\",\"atMs\":0,\"call\":1,\"batch\":null,\"server\":\"crm\","
          + "\"tool\":\"find\",\"args\":\"e30=\"}";

  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void callsAreAnsweredBesideTheEventsAndCountedInTheStatus() throws Exception {
    mayCallTools();
    CountDownLatch answered = new CountDownLatch(1);
    f.runner.on("/v1/tool-result", meanwhile(answered::countDown).then(json(200, "{}")));
    f.runner.on(
        "/v1/start",
        events(started(1), CALL)
            .then(meanwhile(() -> assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue()))
            .then(more(result(3, "Succeeded", 0))));

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.status().toolCalls()).isEqualTo(new ToolCallCounts(0, 0, 1));
    assertThat(f.runner.uploads().getFirst())
        .asString(UTF_8)
        .startsWith("{\"ok\":false,\"error\":{\"code\":\"UPSTREAM_UNAVAILABLE\"");
    assertThat(new String(f.outputs.calls(NAMESPACE, RUN_UID, 0).readAllBytes(), UTF_8))
        .contains("\"code\":\"UPSTREAM_UNAVAILABLE\"");
    assertThat(f.runner.accepted().getFirst().path("job").path("tools"))
        .hasToString("{\"maxParallel\":32,\"resultBytes\":3145728}");
  }

  @Test
  void aCallOfARunWithoutToolsIsAViolation() throws Exception {
    f.runner.on("/v1/start", events(started(1), CALL));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("has called a tool, and its job has none");
    assertThat(f.status().toolCalls()).isNull();
  }

  @Test
  void aCallOfAResumedRunIsRefusedWhereItsClassOffersNoToolsAnyMore() throws Exception {
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(),
                Bindings.status(run, Bindings.ownPod(FakeRunner.NONCE), f.clock.instant())));
    CountDownLatch answered = new CountDownLatch(1);
    f.runner.on("/v1/tool-result", meanwhile(answered::countDown).then(json(200, "{}")));
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(POD_UID, "Started")));
    f.runner.on(
        "/v1/start",
        events(started(1), CALL)
            .then(meanwhile(() -> assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue()))
            .then(more(result(3, "Succeeded", 0))));

    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.status().toolCalls()).isEqualTo(new ToolCallCounts(0, 0, 1));
    assertThat(f.runner.uploads().getFirst())
        .asString(UTF_8)
        .startsWith("{\"ok\":false,\"error\":{\"code\":\"ACCESS_DENIED\"");
  }

  @Test
  void aResultWaitsUntilTheRecordsOfItsCallsAreStored() throws Exception {
    mayCallTools();
    CountDownLatch answered = new CountDownLatch(1);
    f.runner.on("/v1/tool-result", meanwhile(answered::countDown).then(json(200, "{}")));
    f.runner.on(
        "/v1/start",
        events(started(1), CALL)
            .then(
                meanwhile(
                    () -> {
                      assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
                      f.outputs.failNext(3);
                    }))
            .then(more(result(3, "Succeeded", 0))));
    f.runner.on("/v1/attach", events(result(3, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
    assertThat(f.status().toolCalls()).isEqualTo(new ToolCallCounts(0, 0, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Succeeded", "DeadlineExceeded", "Cancelled"})
  void aResultClosesTheRunAtTheGatewayWhileACallIsInFlight(String outcome) throws Exception {
    mayCallTools();
    HoldingGateway gateway = new HoldingGateway();
    f.runner.on(
        "/v1/start",
        events(started(1), CALL)
            .then(meanwhile(gateway::awaitCall))
            .then(more(result(3, outcome, 0))));

    assertThat(f.execution(gateway).run()).isEqualTo(Outcome.ENDED);

    assertClosed(gateway);
    assertThat(f.runner.ops()).as("the result has come").endsWith("ack");
  }

  @Test
  void aRunThatLosesItsPodIsClosedAtTheGatewayWhileACallIsInFlight() throws Exception {
    mayCallTools();
    HoldingGateway gateway = new HoldingGateway();
    f.runner.on(
        "/v1/start",
        events(started(1), CALL)
            .then(
                meanwhile(
                    () -> {
                      gateway.awaitCall();
                      f.podGoes();
                    })));

    assertThat(f.execution(gateway).run()).isEqualTo(Outcome.ENDED);

    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertClosed(gateway);
  }

  private void assertClosed(HoldingGateway gateway) throws Exception {
    f.threads.awaitIdle();
    assertThat(gateway.closed()).containsExactly(HoldingGateway.ADDRESS + " " + RUN_UID);
    assertThat(f.status().toolCalls()).isEqualTo(new ToolCallCounts(1, 1, 0));
    assertThat(new String(f.outputs.calls(NAMESPACE, RUN_UID, 0).readAllBytes(), UTF_8))
        .contains(HoldingGateway.UNKNOWN);
  }

  private void mayCallTools() {
    RunClassSpec runClass =
        Samples.classSpec(Purpose.Run)
            .with()
            .tools(ClassToolsBuilder.builder().servers(List.of("*")).build())
            .build();
    f.tools = RunToolPolicy.of(Samples.spec("1", null, null, null), runClass);
    f.runner.on("/v1/hello", json(200, helloWith("tools")));
  }
}
