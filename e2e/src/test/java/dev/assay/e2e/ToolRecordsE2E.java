package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.e2e.upstream.CountingUpstream;
import dev.assay.e2e.upstream.SampleTools;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the platform team reads with kubectl and the command of tool servers and of a run that has
 * called tools. The log of the scenarios has it as it was printed.
 */
@Full
@ClusterOnly("it reads with kubectl, which a machine without a cluster need not have")
class ToolRecordsE2E {
  private static final Logger LOG = LoggerFactory.getLogger(ToolRecordsE2E.class);
  private static final String STORE = "store";
  private static final String TICKETS = "tickets";
  private static final String ARCHIVE = "archive";

  /** Nobody listens there. */
  private static final int CLOSED_PORT = 9;

  private static final String CODE =
      """
      const orders = call_tools([17, 18, 19].map(id => ({server: 'store', tool: 'get_order', args: {id}})));
      const ticket = call_tool('tickets', 'list_orders', {year: 2024});
      console.log(ticket.error.message);
      orders.map(order => order.ok ? order.result.total : order.error.code)
      """;

  private static CountingUpstream upstream;
  private static ToolServers servers;

  private final Assay assay;
  private final Runs runs;

  ToolRecordsE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @BeforeAll
  static void declare(Assay assay) {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    SampleTools.addTo(upstream);
    servers = new ToolServers(assay);
    URI url = upstream.url();
    servers.declare(STORE, orders(url).build());
    servers.declare(TICKETS, orders(url).quarantined(true).build());
    servers.declare(
        ARCHIVE,
        orders(URI.create("http://" + url.getHost() + ":" + CLOSED_PORT + "/mcp")).build());
    servers.awaitPhase(STORE, ToolServerPhase.Connected);
    servers.awaitPhase(TICKETS, ToolServerPhase.Quarantined);
    servers.awaitUnavailable(ARCHIVE, "The server does not accept connections.");
  }

  private static ToolServerSpecBuilder orders(URI url) {
    return ToolServers.spec(url)
        .tools(new ToolRules(List.of("get_order", "list_orders"), null, null));
  }

  @AfterAll
  static void remove() {
    servers.close();
    upstream.close();
  }

  @Test
  void toolServersAreListedWithWhatTheyAreGoodFor() {
    String listed = printed("get", "tserver");
    assertThat(listed.lines().findFirst().orElseThrow())
        .matches("NAME +PHASE +TOOLS +APPROVED +PENDING +CHANGED +AGE *");
    assertThat(listed)
        .containsPattern("(?m)^store +Connected +2 +2 +0 +0 ")
        .containsPattern("(?m)^tickets +Quarantined +2 +2 +0 +0 ")
        .containsPattern("(?m)^archive +Unavailable ");
    assertThat(printed("get", "tserver", "-o", "wide"))
        .contains(upstream.url().toString(), "2 tools, 2 of them approved")
        .contains("none can be called: spec.quarantined is true")
        .contains("The server does not accept connections.");
  }

  @Test
  void aRunShowsItsCallsAndTheirRecordsWhatBecameOfEach() {
    AnalyticsRun run =
        runs.create(
            AnalyticsRunSpecBuilder.builder().language(Language.JAVASCRIPT).code(CODE).build());
    String name = run.getMetadata().getName();
    AnalyticsRunStatus status = runs.awaitEnd(run);
    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);

    assertThat(printed("describe", "arun", name))
        .containsPattern("Tool Calls:\\s+Failed: +1\\s+Refused: +1\\s+Sent: +3\\s")
        .containsPattern("Value: +\\[2.5,4,\"UPSTREAM_ERROR\"]")
        .contains("Tool server tickets is in quarantine");
    String records = assay.program("runs", "calls", name).orFail();
    LOG.info("$ assay runs calls {}\n{}", name, records);
    assertThat(records.lines().skip(1))
        .hasSize(4)
        .satisfiesExactly(
            line -> assertThat(line).matches("1 +store +get_order +OK +yes +\\d+ B +\\d+ B +\\S+"),
            line -> assertThat(line).matches("2 +store +get_order +OK +yes .*"),
            line -> assertThat(line).matches("3 +store +get_order +UPSTREAM_ERROR +yes .*"),
            line -> assertThat(line).matches("4 +tickets +list_orders +SERVER_QUARANTINED +no .*"));
  }

  @Test
  void aServerAndARunThatCallsItAreAppliedWithKubectlAlone() {
    String server = "applied-store";
    String run = "calls-applied-store";
    assay.kubectl("delete", "tserver/" + server, "arun/" + run, "--ignore-not-found");
    apply(
        """
        apiVersion: assay.dev/v1alpha1
        kind: ToolServer
        metadata: {name: %s}
        spec: {url: "%s"}
        """
            .formatted(server, upstream.url()));
    try {
      waitFor("{.status.phase}=Connected", "tserver/" + server);
      apply(
          """
          apiVersion: assay.dev/v1alpha1
          kind: AnalyticsRun
          metadata: {name: %s}
          spec:
            language: javascript
            code: |
              call_tool('%s', 'get_order', {id: 17}).result.total
          """
              .formatted(run, server));
      waitFor("{.status.phase}=Succeeded", "arun/" + run);
      assertThat(assay.kubectl("get", "arun", run, "-o", "jsonpath={.status.result.value}"))
          .isEqualTo("2.5");
      assertThat(assay.kubectl("get", "arun", run, "-o", "jsonpath={.status.toolCalls.sent}"))
          .isEqualTo("1");
    } finally {
      assay.kubectl("delete", "tserver/" + server, "arun/" + run, "--ignore-not-found");
    }
  }

  private void apply(String manifest) {
    Programs.kubectlWithInput(manifest, "apply", "-n", assay.namespace(), "-f", "-").orFail();
  }

  private void waitFor(String path, String object) {
    assay.kubectl("wait", "--for=jsonpath=" + path, object, "--timeout=120s");
  }

  @Test
  void theGatewayLogsALineForEachCallWithoutItsContents() {
    String marker = "marker-" + UUID.randomUUID();
    AnalyticsRun run =
        runs.create(
            AnalyticsRunSpecBuilder.builder()
                .language(Language.JAVASCRIPT)
                .code(
                    """
                    [call_tool('store', 'get_order', {id: 17, note: input.marker}),
                     call_tool('store', 'get_order', {id: input.marker}),
                     call_tool('tickets', 'list_orders', {note: input.marker})]
                      .map(outcome => outcome.ok)
                    """)
                .input("{\"marker\": \"%s\"}".formatted(marker))
                .build());
    AnalyticsRunStatus status = runs.awaitEnd(run);
    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    String log =
        new OperatorPods(assay)
            .kubectl("logs", "-l", "app.kubernetes.io/component=tool-gateway", "--tail=-1");
    String own = "\"run\":\"" + run.getMetadata().getUid() + "\"";
    List<JsonNode> lines =
        log.lines()
            .filter(line -> line.contains(own))
            .map(Script::json)
            .sorted(Comparator.comparingInt(line -> line.path("call").asInt()))
            .toList();

    assertThat(lines)
        .extracting(
            line ->
                "%d %s %s %s %s"
                    .formatted(
                        line.path("call").asInt(),
                        line.path("server").asText(),
                        line.path("tool").asText(),
                        line.path("outcome").asText(),
                        line.path("sent").asText()))
        .containsExactly(
            "1 store get_order OK yes",
            "2 store get_order UPSTREAM_ERROR yes",
            "3 tickets list_orders SERVER_QUARANTINED no");
    assertThat(log).doesNotContain(marker);
  }

  private String printed(String... arguments) {
    String output = assay.kubectl(arguments);
    LOG.info("$ kubectl -n {} {}\n{}", assay.namespace(), String.join(" ", arguments), output);
    return output;
  }
}
