package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.e2e.upstream.CountingUpstream;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What makes calls is killed at each of their steps. The server counts no call twice, and code gets
 * the outcome, or an error that says that the call may have been made.
 */
@Full
@ClusterOnly("all parts are one process, which cannot be killed in part")
class ToolAtMostOnceE2E {
  private static final Logger LOG = LoggerFactory.getLogger(ToolAtMostOnceE2E.class);
  private static final String SERVER = "counting-once";
  private static final String GATEWAY = "app.kubernetes.io/component=tool-gateway";

  /** The crash agent identifies a run by its time limit, so each run of a test has a unique one. */
  private static final int FIRST_TIME_LIMIT = 301;

  /** Two calls, so that the second one finds out whether the log of the first is in order. */
  private static final String CODE =
      """
      [call_tool('counting-once', input.tool, {id: input.id}),
       call_tool('counting-once', 'count', {id: input.id + '-after'})]
        .map(outcome => outcome.ok ? 'OK ' + outcome.result.calls
                                   : outcome.error.code + ' ' + outcome.error.sent)
      """;

  private static CountingUpstream upstream;
  private static ToolServers servers;

  private final Assay assay;
  private final Runs runs;
  private final OperatorPods operators;
  private final CrashableOperator operator;

  /** A run and the identifier of its first call. */
  private record Calling(AnalyticsRun run, String id) {}

  ToolAtMostOnceE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
    this.operators = new OperatorPods(assay);
    this.operator = new CrashableOperator(assay);
  }

  @BeforeAll
  static void prepare(Assay assay) {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    servers = new ToolServers(assay);
    servers.connect(SERVER, upstream.url());
    new CrashableOperator(assay).install();
  }

  @AfterAll
  static void restore(Assay assay) {
    new CrashableOperator(assay).restore();
    servers.close();
    upstream.close();
  }

  @BeforeEach
  void awaitTheGateway() {
    operators.kubectl("rollout", "status", "deployment/assay-tool-gateway", "--timeout=150s");
  }

  @Test
  void aCallIsMadeOnceWhereverItsOperatorIsKilled() {
    String leader = operators.leader();
    Map<Integer, String> plan = new LinkedHashMap<>();
    for (String point :
        List.of(
            "call/before",
            "call/after",
            "outcome/before",
            "outcome/after",
            "deliver/before",
            "deliver/after")) {
      plan.put(FIRST_TIME_LIMIT + plan.size(), point);
    }
    operator.arm(leader, plan, CrashableOperator.Then.CRASH);
    Map<String, Calling> callings = new LinkedHashMap<>();
    plan.forEach((timeLimit, point) -> callings.put(point, calls("count", timeLimit)));
    operator.awaitCrash(leader);
    operators.successorOf(leader);

    callings.forEach(this::assertMadeOnce);
    operators.replace(leader);
  }

  @Test
  void aCallThatIsBeingMadeIsAwaitedByTheNextOperator() {
    String leader = operators.leader();
    Calling calling = calls("hold", FIRST_TIME_LIMIT);
    upstream.awaitCall(calling.id());
    operators.kubectl("delete", "pod", leader, "--grace-period=0", "--force");
    operators.successorOf(leader);
    upstream.release(calling.id());

    assertMadeOnce("operator killed, call in progress", calling);
  }

  @Test
  void aCallOfAKilledGatewayIsReportedAsUnknownAndNotRepeated() {
    Calling calling = calls("hold", FIRST_TIME_LIMIT);
    upstream.awaitCall(calling.id());
    List<Pod> killed = gateways();
    killed.forEach(pod -> NodeProcess.of(pod).kill());

    assertUnknown("gateways killed, call in progress", calling, "OK 1", "UPSTREAM_UNAVAILABLE no");
    upstream.release(calling.id());
    killed.forEach(this::awaitRestart);
  }

  @Test
  void theCallAfterThatOfAKilledGatewayIsMadeByTheOtherOne() {
    Calling calling = calls("hold", FIRST_TIME_LIMIT);
    upstream.awaitCall(calling.id());
    int port = upstream.portOf(calling.id());
    List<Pod> killed =
        gateways().stream().filter(pod -> NodeProcess.of(pod).connectsFrom(port)).toList();
    assertThat(killed).hasSize(1);
    killed.forEach(pod -> NodeProcess.of(pod).kill());

    assertUnknown("one gateway killed, call in progress", calling, "OK 1");
    upstream.release(calling.id());
    killed.forEach(this::awaitRestart);
  }

  @Test
  void aCallOfADeletedGatewayIsReportedAsUnknownAndNotRepeated() {
    Calling calling = calls("hold", FIRST_TIME_LIMIT);
    upstream.awaitCall(calling.id());
    operators.kubectl("delete", "pod", "-l", GATEWAY, "--grace-period=0", "--force");

    assertUnknown("gateways deleted, call in progress", calling, "OK 1", "UPSTREAM_UNAVAILABLE no");
    upstream.release(calling.id());
  }

  @Test
  void aCallOfAKilledSupervisorIsNotRepeatedInAnotherPod() {
    Calling calling = calls("hold", FIRST_TIME_LIMIT);
    upstream.awaitCall(calling.id());
    NodeProcess.of(pod(calling.run()), "supervisor").kill();
    AnalyticsRunStatus status = runs.awaitEnd(calling.run());
    upstream.release(calling.id());

    assertThat(status.phase()).isEqualTo(RunPhase.Failed);
    assertThat(status.reason()).isEqualTo(RunReason.PodLost);
    assertThat(status.toolCalls()).isEqualTo(new ToolCallCounts(1, 1, 0));
    assertThat(upstream.calls(calling.id())).isOne();
    LOG.info("supervisor killed | 1 call | {}", status.message());
  }

  /** Not always of its own: it may have been given a warm one. */
  private Pod pod(AnalyticsRun run) {
    BoundPod pod = Objects.requireNonNull(runs.awaitRunning(run).pod());
    return assay.kubernetes().pods().inNamespace(assay.namespace()).withName(pod.name()).require();
  }

  private List<Pod> gateways() {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.installation().systemNamespace())
        .withLabelSelector(GATEWAY)
        .list()
        .getItems();
  }

  private void awaitRestart(Pod killed) {
    assay
        .kubernetes()
        .pods()
        .resource(killed)
        .waitUntilCondition(
            pod ->
                pod != null
                    && pod.getStatus().getContainerStatuses().stream()
                        .allMatch(
                            container ->
                                container.getReady()
                                    && container.getRestartCount() > restarts(killed)),
            2,
            TimeUnit.MINUTES);
  }

  private static int restarts(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst().getRestartCount();
  }

  private Calling calls(String tool, int timeLimit) {
    String id = UUID.randomUUID().toString();
    AnalyticsRunSpec spec =
        AnalyticsRunSpecBuilder.builder()
            .language(Language.JAVASCRIPT)
            .code(CODE)
            .input(Rest.JSON.valueToTree(Map.of("tool", tool, "id", id)).toString())
            .timeoutSeconds(timeLimit)
            .build();
    return new Calling(runs.create(spec), id);
  }

  private void assertMadeOnce(String point, Calling calling) {
    AnalyticsRunStatus status = runs.awaitEnd(calling.run());
    JsonNode value = value(point, calling, status);
    assertThat(value).as(point).hasToString("[\"OK 1\",\"OK 1\"]");
    assertThat(upstream.calls(calling.id() + "-after")).as(point).isOne();
    assertThat(status.toolCalls()).as(point).isEqualTo(new ToolCallCounts(2, 0, 0));
  }

  /**
   * Of the second call, any of the outcomes: where no gateway is left, it is made by the next
   * process if there is one by then.
   */
  private void assertUnknown(String point, Calling calling, String... outcomes) {
    AnalyticsRunStatus status = runs.awaitEnd(calling.run());
    JsonNode value = value(point, calling, status);
    assertThat(value.path(0).asText()).as(point).isEqualTo("OUTCOME_UNKNOWN unknown");
    assertThat(value.path(1).asText()).as(point).isIn((Object[]) outcomes);
    assertThat(Objects.requireNonNull(status.toolCalls()).failed()).as(point).isOne();
  }

  /** The value of a script whose first call was made once. */
  private JsonNode value(String point, Calling calling, AnalyticsRunStatus status) {
    LOG.info(
        "{} | {} call(s) | {} | {}",
        point,
        upstream.calls(calling.id()),
        status.result(),
        status.toolCalls());
    assertThat(status.phase()).as("%s: %s", point, status.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(upstream.calls(calling.id())).as(point).isOne();
    return Script.json(
        Objects.requireNonNull(Objects.requireNonNull(status.result()).value(), point));
  }
}
