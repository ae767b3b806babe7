package dev.assay.operator.tool;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Audit;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent.Batch;
import dev.assay.operator.runner.RunnerEvent.ToolCall;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is sent and what code reads, whatever dies on the way. */
class RunToolCallsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ManualClock clock = new ManualClock();
  private final SigningKey key = SigningKey.generate("k1");
  private final FakeRunner runner = new FakeRunner(key);
  private final FakeOutputStore store = new FakeOutputStore();
  private final FakeGatewayClient gateway = new FakeGatewayClient("10.0.0.1", "10.0.0.2");
  private final RunnerClient runners = new RunnerClient(clock);
  private final ProgramMetrics counted = ProgramMetrics.create();
  private final CallMetrics metrics = new CallMetrics(counted);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private RunToolPolicy policy = policy(null, null);
  private ToolServers servers = ToolServers.NONE;
  private RunToolCalls calls = process();

  RunToolCallsTest() {
    runner.on("/v1/tool-result", FakeRunner.json(200, "{}"));
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    runner.close();
    runners.close();
  }

  @Test
  void aCallIsSentAndItsOutcomeDelivered() throws Exception {
    take(call(1, "{\"a\":1}"));
    assertThat(delivered(1)).hasToString("{\"ok\":true,\"result\":{\"a\":1},\"raw\":{}}");
    assertThat(gateway.upstreamCalls).hasValue(1);
    assertThat(counts()).isEqualTo(new ToolCallCounts(1, 0, 0));
    await(() -> stored(1).isEmpty());
  }

  @Test
  void theEventsOfARunAreReadWhileACallWaits() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    gateway.beforeAnswering = (address, call) -> done.await();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    assertThat(runner.accepted()).as("nothing is delivered, and take has returned").isEmpty();
    done.countDown();
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
  }

  @Test
  void theCallsOfABatchAreInFlightAtOnce() throws Exception {
    CyclicBarrier all = new CyclicBarrier(5);
    gateway.beforeAnswering = (address, call) -> awaitAll(all);
    Batch batch = new Batch(1, 5, 8);
    for (int number = 1; number <= 5; number++) {
      take(call(number, batch, "{\"n\":" + number + "}"));
    }
    for (int number = 1; number <= 5; number++) {
      assertThat(delivered(number).path("result").path("n").asInt()).isEqualTo(number);
    }
    assertThat(gateway.upstreamCalls).hasValue(5);
  }

  @Test
  void noMoreCallsOfABatchAreInFlightThanItAllows() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger highest = new AtomicInteger();
    gateway.upstream =
        call -> {
          highest.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
          return Outcome.result(call.args(), "{}".getBytes(UTF_8), null);
        };
    gateway.beforeAnswering = (address, call) -> inFlight.decrementAndGet();
    Batch batch = new Batch(1, 20, 2);
    for (int number = 1; number <= 20; number++) {
      take(call(number, batch, "{}"));
    }
    for (int number = 1; number <= 20; number++) {
      assertThat(delivered(number).path("ok").asBoolean()).isTrue();
    }
    assertThat(highest.get()).isBetween(1, 2);
  }

  @Test
  void anOperatorThatIsKilledAfterTheIntentHasSentNothingAndTheNextOneSendsIt() throws Exception {
    gateway.beforeAccepting = (address, call) -> untilKilled();
    take(call(1, "{}"));
    await(() -> !gateway.asked.isEmpty());
    kill();
    gateway.beforeAccepting = (address, call) -> {};
    take(call(1, "{}"));
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.upstreamCalls).hasValue(1);
    assertThat(gateway.asked).containsExactly("10.0.0.1 1", "10.0.0.1 1");
  }

  @Test
  void anOperatorThatIsKilledAfterItSentACallIsFollowedByOneThatGetsTheOutcome() throws Exception {
    gateway.beforeAnswering = (address, call) -> untilKilled();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    kill();
    gateway.beforeAnswering = (address, call) -> {};
    take(call(1, "{}"));
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.upstreamCalls).hasValue(1);
    assertThat(counts()).isEqualTo(new ToolCallCounts(1, 0, 0));
  }

  @Test
  void anOutcomeThatIsStoredIsDeliveredByTheNextOperatorWithoutTheGateway() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    runner.on(
        "/v1/tool-result",
        FakeRunner.meanwhile(asked::countDown).then(FakeRunner.nothing()),
        FakeRunner.nothing());
    take(call(1, "{\"kept\":1}"));
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    kill();
    runner.on("/v1/tool-result", FakeRunner.json(200, "{}"));
    gateway.restart("10.0.0.1");
    int before = runner.uploads().size();
    take(call(1, "{\"kept\":1}"));
    await(() -> runner.uploads().size() > before);
    assertThat(delivered(1).path("result")).hasToString("{\"kept\":1}");
    assertThat(gateway.asked).hasSize(1);
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aCallThatWasAnsweredIsNeitherSentNorAnsweredAgain() throws Exception {
    take(call(1, "{}"));
    delivered(1);
    await(() -> stored(1).isEmpty());
    kill();
    take(call(1, null));
    take(call(2, "{\"next\":1}"));
    assertThat(delivered(2).path("result")).hasToString("{\"next\":1}");
    assertThat(gateway.upstreamCalls).hasValue(2);
    assertThat(gateway.asked).containsExactly("10.0.0.1 1", "10.0.0.1 2");
    assertThat(counts()).isEqualTo(new ToolCallCounts(2, 0, 0));
  }

  @Test
  void aReplicaThatIsGoneTakesTheOutcomeWithIt() throws Exception {
    gateway.beforeAnswering =
        (address, call) -> {
          gateway.restart(address);
          throw new IOException("connection reset");
        };
    take(call(1, "{}"));
    JsonNode envelope = delivered(1);
    assertThat(envelope.path("error").path("code").asText()).isEqualTo("OUTCOME_UNKNOWN");
    assertThat(envelope.path("error").path("sent").asText()).isEqualTo("unknown");
    assertThat(gateway.upstreamCalls).as("never a second time").hasValue(1);
    assertThat(counts()).isEqualTo(new ToolCallCounts(1, 1, 0));
  }

  @Test
  void aReplicaThatIsGoneWithTheOperatorTakesTheOutcomeWithIt() throws Exception {
    gateway.beforeAnswering = (address, call) -> untilKilled();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    kill();
    gateway.restart("10.0.0.1");
    take(call(1, "{}"));
    assertThat(delivered(1).path("error").path("code").asText()).isEqualTo("OUTCOME_UNKNOWN");
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aReplicaThatDoesNotAnswerForLongIsGone() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    gateway.beforeAnswering =
        (address, call) -> {
          gateway.beforeAccepting =
              (other, again) -> {
                attempts.incrementAndGet();
                clock.advance(Duration.ofSeconds(12));
                throw new GatewayClient.NotAcceptedException("connection refused");
              };
          throw new IOException("connection reset");
        };
    take(call(1, "{}"));
    assertThat(delivered(1).path("error").path("code").asText()).isEqualTo("OUTCOME_UNKNOWN");
    assertThat(gateway.upstreamCalls).hasValue(1);
    assertThat(attempts.get()).isBetween(2, 4);
  }

  @Test
  void aLostConnectionIsFollowedByTheOutcomeOfTheSameCall() throws Exception {
    AtomicInteger lost = new AtomicInteger();
    gateway.beforeAnswering =
        (address, call) -> {
          if (lost.incrementAndGet() <= 2) {
            throw new IOException("connection reset");
          }
        };
    take(call(1, "{}"));
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aCallThatOneReplicaDoesNotAcceptIsSentToTheOther() throws Exception {
    refuse("10.0.0.1");
    take(call(1, "{}"));
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.asked).containsExactly("10.0.0.1 1", "10.0.0.2 1");
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void theNextOperatorAsksTheReplicaThatAcceptedTheCallInTheEnd() throws Exception {
    refuse("10.0.0.1");
    gateway.beforeAnswering = (address, call) -> untilKilled();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    kill();
    gateway.beforeAccepting = (address, call) -> {};
    gateway.beforeAnswering = (address, call) -> {};
    take(call(1, "{}"));
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.asked).last().isEqualTo("10.0.0.2 1");
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aCallThatNoReplicaAcceptsForThirtySecondsWasNotSent() throws Exception {
    gateway.beforeAccepting =
        (address, call) -> {
          clock.advance(Duration.ofSeconds(9));
          throw new GatewayClient.NotAcceptedException("connection refused");
        };
    take(call(1, "{}"));
    assertThat(delivered(1).path("error"))
        .hasToString(
            "{\"code\":\"UPSTREAM_UNAVAILABLE\",\"message\":\"The call could not be sent:"
                + " connection refused\",\"sent\":\"no\"}");
    assertThat(gateway.upstreamCalls).hasValue(0);
    assertThat(gateway.asked)
        .containsExactly("10.0.0.1 1", "10.0.0.2 1", "10.0.0.1 1", "10.0.0.2 1");
    assertThat(counts()).isEqualTo(new ToolCallCounts(0, 0, 1));
  }

  @Test
  void aCallIsSentToTheFirstReplicaThatIsNoLongerBusy() throws Exception {
    gateway.beforeAccepting =
        (address, call) -> {
          if (gateway.asked.size() < 10) {
            throw new GatewayClient.NotAcceptedException("busy");
          }
        };
    take(call(1, "{}"));
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.asked).hasSize(10);
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aReplicaThatIsAskedAgainHasOneIntent() throws Exception {
    FakeGatewayClient single = new FakeGatewayClient("10.0.0.1");
    calls = process(Optional.of(single));
    single.beforeAccepting =
        (address, call) -> {
          if (single.asked.size() < 5) {
            throw new GatewayClient.NotAcceptedException("busy");
          }
        };
    take(call(1, "{}"));
    delivered(1);
    assertThat(single.asked).hasSize(5);
    assertThat(log().lines().filter(line -> line.contains("\"attempt\""))).hasSize(1);
  }

  @Test
  void noReplicaIsAskedAfterTheDeadlineOfTheRun() throws Exception {
    calls.endAt(clock.instant().plusSeconds(5));
    gateway.beforeAccepting =
        (address, call) -> {
          clock.advance(Duration.ofSeconds(3));
          throw new GatewayClient.NotAcceptedException("busy");
        };
    take(call(1, "{}"));
    assertThat(delivered(1).path("error").path("sent").asText()).isEqualTo("no");
    assertThat(gateway.asked).hasSize(2);
  }

  @Test
  void aRefusalThatDoesNotPassIsNotTriedAgain() throws Exception {
    gateway.beforeAccepting =
        (address, call) -> {
          throw new GatewayClient.NotAcceptedException("HTTP 400", /* passes= */ false);
        };
    take(call(1, "{}"));
    assertThat(delivered(1).path("error").path("sent").asText()).isEqualTo("no");
    assertThat(gateway.asked).containsExactly("10.0.0.1 1", "10.0.0.2 1");
  }

  @Test
  void afterACallThatWasGivenUpTheOthersDoNotWaitUntilOneIsAccepted() throws Exception {
    AtomicBoolean busy = new AtomicBoolean(true);
    gateway.beforeAccepting =
        (address, call) -> {
          if (busy.get()) {
            clock.advance(call.call() == 1 ? Duration.ofSeconds(20) : Duration.ZERO);
            throw new GatewayClient.NotAcceptedException("busy");
          }
        };
    take(call(1, "{}"));
    assertThat(code(delivered(1))).isEqualTo("UPSTREAM_UNAVAILABLE");
    take(call(2, "{}"));
    assertThat(code(delivered(2))).isEqualTo("UPSTREAM_UNAVAILABLE");
    assertThat(gateway.asked)
        .containsExactly("10.0.0.1 1", "10.0.0.2 1", "10.0.0.1 2", "10.0.0.2 2");
    busy.set(false);
    take(call(3, "{}"));
    assertThat(delivered(3).path("ok").asBoolean()).isTrue();
  }

  @Test
  void aGatewayWithoutReplicasIsSentNoCall() throws Exception {
    calls = process(Optional.of(new FakeGatewayClient()));
    take(call(1, "{}"));
    assertThat(delivered(1).path("error"))
        .hasToString(
            "{\"code\":\"UPSTREAM_UNAVAILABLE\",\"message\":\"The call could not be sent:"
                + " the tool gateway has no replica\",\"sent\":\"no\"}");
  }

  @Test
  void withoutAGatewayNoCallIsSent() throws Exception {
    calls = process(Optional.empty());
    take(call(1, "{}"));
    assertThat(delivered(1).path("error").path("code").asText()).isEqualTo("UPSTREAM_UNAVAILABLE");
    assertThat(delivered(1).path("error").path("sent").asText()).isEqualTo("no");
  }

  @Test
  void nothingIsSentThatCannotBeRecorded() throws Exception {
    take(call(1, "{}"));
    delivered(1);
    await(() -> stored(1).isEmpty());
    store.failNext(Integer.MAX_VALUE / 2);
    take(call(2, "{}"));
    clock.advance(Duration.ofMinutes(2));
    assertThat(delivered(2).path("error").path("sent").asText()).isEqualTo("no");
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void onlyWhatWasSentCostsBudgetAndTheSecondExcessEndsTheCode() throws Exception {
    policy = policy(2, null);
    calls = process();
    gateway.upstream =
        call ->
            call.tool().equals("missing")
                ? Outcome.error(CallCode.TOOL_NOT_FOUND, "no", Sent.NO)
                : Outcome.result(call.args(), "{}".getBytes(UTF_8), null);
    take(call(1, null, "crm", "missing", "{}"));
    delivered(1);
    Batch batch = new Batch(2, 4, 4);
    for (int number = 2; number <= 5; number++) {
      take(call(number, batch, "{}"));
    }
    assertThat(List.of(delivered(2), delivered(3)))
        .allMatch(envelope -> envelope.path("ok").asBoolean());
    assertThat(List.of(delivered(4), delivered(5)))
        .allMatch(envelope -> code(envelope).equals("MAX_TOOL_CALLS_EXCEEDED"))
        .noneMatch(envelope -> envelope.has("terminate"));
    take(call(6, "{}"));
    assertThat(code(delivered(6))).isEqualTo("MAX_TOOL_CALLS_EXCEEDED");
    assertThat(delivered(6).path("terminate").asBoolean()).isTrue();
    assertThat(gateway.upstreamCalls).as("with the one that found no tool").hasValue(3);
    assertThat(counts()).isEqualTo(new ToolCallCounts(2, 0, 4));
  }

  @Test
  void aCallWaitsForTheBudgetThatAnotherMayNotUse() throws Exception {
    policy = policy(1, null);
    calls = process();
    CountDownLatch done = new CountDownLatch(1);
    gateway.upstream =
        call ->
            call.call() == 1
                ? Outcome.error(CallCode.TOOL_NOT_FOUND, "no", Sent.NO)
                : Outcome.result(call.args(), "{}".getBytes(UTF_8), null);
    gateway.beforeAnswering =
        (address, call) -> {
          if (call.call() == 1) {
            done.await();
          }
        };
    Batch batch = new Batch(1, 2, 8);
    take(call(1, batch, "{}"));
    take(call(2, batch, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    done.countDown();
    assertThat(delivered(2).path("ok").asBoolean()).isTrue();
  }

  @Test
  void anOutcomeThatIsTooLongIsReplaced() throws Exception {
    policy = policy(null, 20_000);
    calls = process();
    byte[] text = ("\"" + "x".repeat(100_000) + "\"").getBytes(UTF_8);
    gateway.upstream = call -> Outcome.result(text, text, null);
    take(call(1, "{}"));
    assertThat(code(delivered(1))).isEqualTo("RESULT_TOO_LARGE");
    assertThat(delivered(1).path("error").path("sent").asText()).isEqualTo("yes");
  }

  @Test
  void aRunnerThatTakesLessGetsToKnowThatItIsTooMuch() throws Exception {
    runner.on("/v1/tool-result", FakeRunner.refusal(413, "TooLarge"), FakeRunner.json(200, "{}"));
    take(call(1, "{}"));
    await(() -> runner.uploads().size() == 2);
    assertThat(code(delivered(1))).isEqualTo("RESULT_TOO_LARGE");
  }

  @Test
  void aRunnerThatIsReceivingAnotherBodyIsAskedAgain() throws Exception {
    runner.on(
        "/v1/tool-result", FakeRunner.refusal(409, "CallNotOpen"), FakeRunner.json(200, "{}"));
    take(call(1, "{}"));
    await(() -> runner.uploads().size() == 2);
    await(() -> stored(1).isEmpty());
  }

  @Test
  void aCallThatFailsInTheOperatorIsAnsweredToo() throws Exception {
    gateway.upstream =
        call -> {
          throw new IllegalStateException("a bug");
        };
    take(call(1, "{}"));
    assertThat(code(delivered(1))).isEqualTo("OUTCOME_UNKNOWN");
    gateway.upstream = call -> Outcome.result(call.args(), "{}".getBytes(UTF_8), null);
    take(call(2, "{}"));
    assertThat(delivered(2).path("ok").asBoolean()).isTrue();
  }

  @Test
  void whatIsInFlightAtTheEndIsCancelledAndItsOutcomeIsUnknown() throws Exception {
    gateway.beforeAnswering = (address, call) -> untilKilled();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    calls.finish();
    calls.closeAtGateway();
    await(() -> !gateway.closed.isEmpty());
    assertThat(gateway.closed).containsExactly("10.0.0.1 " + RUN_UID);
    assertThat(counts()).isEqualTo(new ToolCallCounts(1, 1, 0));
    assertThat(log()).contains("\"code\":\"OUTCOME_UNKNOWN\"");
  }

  @Test
  void theRecordsOfARunHaveALineForEachCall() throws Exception {
    refuse("10.0.0.1");
    take(call(1, "{}"));
    delivered(1);
    take(call(2, "[]"));
    delivered(2);
    await(() -> stored(2).isEmpty());
    List<String> lines = CallRecordsTest.lines(log());
    assertThat(lines).hasSize(2);
    JsonNode first = JSON.readTree(lines.getFirst());
    assertThat(first.path("call").asInt()).isEqualTo(1);
    assertThat(first.path("outcome").asText()).isEqualTo("OK");
    assertThat(first.path("sent").asText()).isEqualTo("yes");
    assertThat(first.path("argumentBytes").asInt()).isEqualTo(2);
    assertThat(first.has("arguments")).as("they are not recorded").isFalse();
    JsonNode second = JSON.readTree(lines.getLast());
    assertThat(second.path("outcome").asText()).isEqualTo("INVALID_ARGS");
    assertThat(second.path("sent").asText()).isEqualTo("no");
    assertThat(second.has("begun")).isFalse();
  }

  @Test
  void eachCallIsCountedByItsServerAndCode() throws Exception {
    servers = recording("crm");
    calls = process();
    take(call(1, "{}"));
    delivered(1);
    gateway.upstream = call -> Outcome.error(CallCode.UPSTREAM_ERROR, "no", Sent.YES);
    take(call(2, "{}"));
    delivered(2);
    take(call(3, null, "made-up", "find", "[]"));
    delivered(3);
    assertThat(counted.text().lines().filter(line -> !line.startsWith("#")))
        .containsExactly(
            sample("", "INVALID_ARGS", "no"),
            sample("crm", "OK", "yes"),
            sample("crm", "UPSTREAM_ERROR", "yes"));
  }

  /** One call. */
  private static String sample(String server, String code, String sent) {
    return "assay_tool_calls_total{code=\"%s\",namespace=\"%s\",sent=\"%s\",server=\"%s\"} 1.0"
        .formatted(code, NAMESPACE, sent, server);
  }

  @Test
  void argumentsAreRecordedWhereTheirServerSaysSoAsFarAsTheyAreShort() throws Exception {
    servers = recording("crm");
    calls = process();
    String longest = argumentsOf(16 * 1024);
    take(call(1, longest));
    delivered(1);
    await(() -> stored(1).isEmpty());
    take(call(2, argumentsOf(16 * 1024 + 1)));
    delivered(2);
    await(() -> stored(2).isEmpty());
    take(call(3, null, "erp", "find", "{}"));
    delivered(3);
    await(() -> stored(3).isEmpty());
    List<String> lines = CallRecordsTest.lines(log());
    assertThat(JSON.readTree(lines.getFirst()).path("arguments").asText()).isEqualTo(longest);
    assertThat(lines.get(1)).contains("\"argumentBytes\":16385").doesNotContain("\"arguments\"");
    assertThat(lines.get(2)).contains("\"server\":\"erp\"").doesNotContain("\"arguments\"");
  }

  @Test
  void theArgumentsThatARunRecordsHaveALimitTogether() throws Exception {
    servers = recording("crm");
    calls = process();
    CallLog earlier = new CallLog(new RunOutputs(store, clock), NAMESPACE, RUN_UID);
    Subject subject = new Subject("crm", "find", "digest", (4 << 20) - 16 * 1024, "sha", "{}");
    earlier.intend(new Intent(1, 1, subject, 1, new Replica("10.0.0.1", "a"), "earlier", "now"));
    earlier.end(new End(1, 1, subject.withoutArguments(), null, Sent.YES, 2, "sha", 1L, "now"));
    take(call(1, null));
    // The third perhaps before the second is in the log.
    Batch batch = new Batch(2, 2, 2);
    take(call(2, batch, argumentsOf(16 * 1024)));
    take(call(3, batch, "{}"));
    delivered(2);
    await(() -> stored(2).isEmpty());
    delivered(3);
    await(() -> stored(3).isEmpty());
    List<String> lines = CallRecordsTest.lines(log());
    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).contains("\"arguments\"");
    assertThat(lines.get(2)).doesNotContain("\"arguments\"");
  }

  /** An object of so many bytes. */
  private static String argumentsOf(int bytes) {
    return "{\"a\":\"" + "x".repeat(bytes - 8) + "\"}";
  }

  /** One server, whose calls are recorded with their arguments. */
  private static ToolServers recording(String name) {
    ToolServer server = new ToolServer();
    server.setSpec(
        ToolServerSpecBuilder.builder(ToolApprovalsTest.spec(Approval.None))
            .audit(new Audit(true))
            .build());
    server.setStatus(ToolServerStatus.EMPTY);
    return new ToolServers() {
      @Override
      public Optional<ToolServer> find(String namespace, String wanted) {
        return wanted.equals(name) ? Optional.of(server) : Optional.empty();
      }

      @Override
      public void lookAgain(String namespace, String again) {}
    };
  }

  @Test
  void aRunThatCalledNothingLeavesNothing() throws Exception {
    calls.load();
    calls.finish();
    calls.closeAtGateway();
    assertThat(log()).isEmpty();
    assertThat(calls.counts()).contains(ToolCallCounts.NONE);
    assertThat(gateway.closed).isEmpty();
  }

  @Test
  void aCallOutOfOrderIsAViolation() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    gateway.beforeAnswering = (address, call) -> done.await();
    assertThatThrownBy(() -> take(call(2, "{}"))).isInstanceOf(ProtocolViolationException.class);
    take(call(1, "{}"));
    assertThatThrownBy(() -> take(call(2, "{}")))
        .as("a second call while the first is open")
        .isInstanceOf(ProtocolViolationException.class);
    assertThatThrownBy(() -> take(call(1, "{}"))).isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void aPodThatConfirmsNoOutcomeHasOneCallMoreAndNotAsManyAsItLikes() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    runner.on(
        "/v1/tool-result",
        FakeRunner.meanwhile(reached::countDown)
            .then(FakeRunner.meanwhile(RunToolCallsTest::untilKilled)));
    take(call(1, "{}"));
    assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
    take(call(2, "{}"));
    assertThatThrownBy(() -> take(call(3, "{}"))).isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void codeThatGoesOnAfterItsLastCallViolatesTheProtocol() {
    int last = policy.classMaxCalls() + Batch.MAX_SIZE;
    assertThatThrownBy(() -> take(call(last + 1, "{}")))
        .hasMessage("the code went on after its last tool call");
  }

  @Test
  void anOperatorThatDoesNotKnowThatItWasReplacedSendsTheCallNowhereElse() throws Exception {
    CountDownLatch replaced = new CountDownLatch(1);
    AtomicInteger first = new AtomicInteger();
    gateway.beforeAccepting =
        (address, call) -> {
          if (first.getAndIncrement() == 0) {
            replaced.await();
            throw new GatewayClient.NotAcceptedException("busy");
          }
        };
    take(call(1, "{}"));
    await(() -> gateway.asked.size() == 1);
    calls = process();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    replaced.countDown();
    await(() -> gateway.asked.size() == 3);
    delivered(1);
    assertThat(gateway.asked).containsExactly("10.0.0.1 1", "10.0.0.1 1", "10.0.0.1 1");
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void anOperatorThatIsOvertakenByTheAttemptsOfTheEarlierOneFollowsTheLatest() throws Exception {
    CountDownLatch loaded = new CountDownLatch(1);
    CountDownLatch followed = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    gateway.beforeAccepting =
        (address, call) -> {
          int before = asked.getAndIncrement();
          if (before < 2) {
            (before == 0 ? loaded : followed).await();
            throw new GatewayClient.NotAcceptedException("busy");
          }
        };
    take(call(1, "{}"));
    await(() -> gateway.asked.size() == 1);
    calls = process();
    calls.load();
    loaded.countDown();
    await(() -> gateway.asked.size() == 2);
    calls.take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    followed.countDown();
    await(() -> gateway.asked.size() == 4);
    delivered(1);
    assertThat(gateway.asked)
        .as("each attempt of the earlier one, and then the latest of both")
        .containsExactly("10.0.0.1 1", "10.0.0.2 1", "10.0.0.2 1", "10.0.0.2 1");
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aCallThatTheEarlierOperatorHasGivenUpIsNotSentByTheNext() throws Exception {
    CountDownLatch loaded = new CountDownLatch(1);
    gateway.beforeAccepting =
        (address, call) -> {
          loaded.await();
          clock.advance(Duration.ofSeconds(11));
          throw new GatewayClient.NotAcceptedException("busy");
        };
    take(call(1, "{}"));
    await(() -> gateway.asked.size() == 1);
    RunToolCalls next = process();
    next.load();
    loaded.countDown();
    assertThat(delivered(1).path("error").path("sent").asText()).isEqualTo("no");
    gateway.beforeAccepting = (address, call) -> {};
    next.take(call(1, "{}"));
    await(() -> runner.accepted().size() == 2);
    assertThat(gateway.upstreamCalls).as("code may have repeated it").hasValue(0);
    next.end();
    assertThat(gateway.closed).doesNotContain(" " + RUN_UID);
  }

  @Test
  void anOperatorThatTookARunOverSendsTheCallThatTheEarlierOneGivesUp() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    gateway.beforeAccepting =
        (address, call) -> {
          int before = asked.getAndIncrement();
          if (before < 3) {
            if (before == 2) {
              taken.await();
              clock.advance(Duration.ofSeconds(11));
            }
            throw new GatewayClient.NotAcceptedException("busy");
          }
        };
    take(call(1, "{}"));
    await(() -> gateway.asked.size() == 3);
    calls = process();
    take(call(1, "{}"));
    await(() -> gateway.upstreamCalls.get() == 1);
    taken.countDown();
    await(() -> gateway.asked.size() == 5);
    assertThat(delivered(1).path("ok").asBoolean()).isTrue();
    assertThat(gateway.upstreamCalls).hasValue(1);
  }

  @Test
  void aPodThatReportsAnotherCallAfterATakeoverViolatesTheProtocol() throws Exception {
    take(call(1, "{}"));
    delivered(1);
    kill();
    assertThatThrownBy(() -> take(call(1, "{\"other\":1}")))
        .isInstanceOf(ProtocolViolationException.class);
  }

  private RunToolCalls process() {
    return process(Optional.of(gateway));
  }

  private RunToolCalls process(Optional<GatewayClient> through) {
    ToolCallServices services =
        new ToolCallServices(
            through, servers, new RunOutputs(store, clock), runners, metrics, threads, clock);
    Binding binding =
        new Binding(runner.address(), NAMESPACE, RUN_UID, Samples.POD_UID, FakeRunner.NONCE, key);
    return new RunToolCalls(
        services, binding, NAMESPACE, RUN_UID, policy, clock.instant().plusSeconds(60));
  }

  /** The operator process ends, and another takes the run over. */
  private void kill() {
    calls.stop();
    calls = process();
  }

  private static void untilKilled() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private static void awaitAll(CyclicBarrier barrier) throws IOException, InterruptedException {
    try {
      barrier.await(20, TimeUnit.SECONDS);
    } catch (BrokenBarrierException | TimeoutException e) {
      throw new IOException(e);
    }
  }

  private void refuse(String refusing) {
    gateway.beforeAccepting =
        (address, call) -> {
          if (address.equals(refusing)) {
            throw new GatewayClient.NotAcceptedException("connection refused");
          }
        };
  }

  private void take(ToolCall call) throws Exception {
    calls.load();
    calls.take(call);
  }

  private static ToolCall call(int number, @Nullable String args) {
    return call(number, null, args);
  }

  private static ToolCall call(int number, @Nullable Batch batch, @Nullable String args) {
    return call(number, batch, "crm", "find", args);
  }

  private static ToolCall call(
      int number, @Nullable Batch batch, String server, String tool, @Nullable String args) {
    return new ToolCall(
        number + 1, number, batch, server, tool, args == null ? null : args.getBytes(UTF_8));
  }

  private static RunToolPolicy policy(@Nullable Integer maxCalls, @Nullable Integer resultBytes) {
    RunClassSpec runClass = Samples.classSpec(Purpose.Run);
    return RunToolPolicy.of(
        Samples.spec("1", null, null, null).withTools(new RunTools(null, maxCalls, null, null)),
        runClass.with().tools(new ClassTools(List.of("*"), null, null, resultBytes)).build());
  }

  /** The last outcome of a call that the runner has received. */
  private JsonNode delivered(int call) throws Exception {
    await(() -> find(call).isPresent());
    return JSON.readTree(find(call).orElseThrow());
  }

  private Optional<byte[]> find(int call) {
    Optional<byte[]> found = Optional.empty();
    List<JsonNode> heads = List.copyOf(runner.accepted());
    List<byte[]> bodies = List.copyOf(runner.uploads());
    for (int i = 0; i < Math.min(heads.size(), bodies.size()); i++) {
      if (heads.get(i).path("call").asInt() == call) {
        found = Optional.of(bodies.get(i));
      }
    }
    return found;
  }

  private Optional<?> stored(int call) {
    try {
      return store.outcome(NAMESPACE, RUN_UID, call);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private String log() throws IOException {
    return new String(store.calls(NAMESPACE, RUN_UID, 0).readAllBytes(), UTF_8);
  }

  private ToolCallCounts counts() {
    return calls.counts().orElseThrow();
  }

  private static String code(JsonNode envelope) {
    return envelope.path("error").path("code").asText();
  }

  private static void await(BooleanSupplier holds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      Thread.onSpinWait();
      Thread.sleep(1);
    }
  }
}
