package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.api.v1alpha1.ToolServerSpec.Limits;
import dev.assay.e2e.upstream.CountingUpstream;
import dev.assay.e2e.upstream.HostileUpstream;
import dev.assay.e2e.upstream.Relay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts call servers that reply as none should. Each call ends, and others are not affected. */
@FullEverywhere
class ToolHostileE2E {
  private static final String HOSTILE = "counting-hostile";
  private static final String BESIDE = "counting-beside";
  private static final String ITSELF = "counting-itself";
  private static final String LISTS = "counting-lists-";
  private static final String FINE = "fine";
  private static final String TOKEN = "e2e-token-" + UUID.randomUUID();
  private static final int TIMEOUT_SECONDS = 3;

  /** A call beside two that are fine, then one more of its server. */
  private static final String BESIDE_OTHERS =
      """
      const outcomes = call_tools([
        {server: 'counting-hostile', tool: input.tool},
        {server: 'counting-hostile', tool: 'fine'},
        {server: 'counting-beside', tool: 'count', args: {id: input.id}},
      ], {max_parallel: 3});
      outcomes.push(call_tool('counting-hostile', 'fine'));
      outcomes.map(outcome => outcome.ok ? 'OK' : outcome.error.code + ' ' + outcome.error.sent)
      """;

  private static HostileUpstream hostile;
  private static CountingUpstream beside;
  private static ToolServers servers;

  private final Assay assay;
  private final String id = UUID.randomUUID().toString();

  ToolHostileE2E(Assay assay) {
    this.assay = assay;
  }

  @BeforeAll
  static void declare(Assay assay) {
    String host = assay.installation().toolServerHost();
    hostile = HostileUpstream.start(host);
    beside = CountingUpstream.start(host);
    servers = new ToolServers(assay);
    String secret = servers.credential("counting-hostile-token", TOKEN, hostile.url());
    servers.declare(
        HOSTILE,
        ToolServers.spec(hostile.url())
            .auth(new Auth(secret, null, null))
            .limits(new Limits(TIMEOUT_SECONDS, null, null, null))
            .build());
    servers.declare(BESIDE, ToolServers.spec(beside.url()).build());
    servers.awaitPhase(HOSTILE, ToolServerPhase.Connected);
    servers.awaitPhase(BESIDE, ToolServerPhase.Connected);
  }

  @AfterAll
  static void remove() {
    servers.close();
    beside.close();
    hostile.close();
  }

  @ParameterizedTest
  @CsvSource({
    "silent, UPSTREAM_TIMEOUT unknown",
    "endless, (UPSTREAM_TIMEOUT|RESULT_TOO_LARGE) yes",
    "slow, UPSTREAM_TIMEOUT yes",
    "huge, RESULT_TOO_LARGE yes",
    "no_json, (UPSTREAM_ERROR|UPSTREAM_TIMEOUT) yes",
    "no_result, (UPSTREAM_ERROR|UPSTREAM_TIMEOUT) yes",
    "other_id, (UPSTREAM_ERROR|UPSTREAM_TIMEOUT) yes",
    "deep, UPSTREAM_ERROR yes",
    "redirect, UPSTREAM_ERROR yes"
  })
  void aReplyThatIsNoneEndsItsCallAndNoOther(String tool, String expected) {
    JsonNode outcomes = Script.of(BESIDE_OTHERS).input(Map.of("tool", tool, "id", id)).value(assay);

    assertThat(outcomes.path(0).asText()).matches(expected);
    assertThat(List.of(outcomes.path(1).asText(), outcomes.path(2).asText())).containsOnly("OK");
    assertThat(outcomes.path(3).asText()).as("the next one").isEqualTo("OK");
    assertThat(beside.calls(id)).isOne();
    assertThat(hostile.redirected()).isZero();
  }

  @Test
  void allOfThemAtOnceEndAndTheOthersAreMade() {
    List<Map<String, Object>> requests = new ArrayList<>();
    for (String tool : hostile.toolNames()) {
      requests.add(Map.of("server", HOSTILE, "tool", tool));
      requests.add(Map.of("server", BESIDE, "tool", "count", "args", Map.of("id", id)));
    }
    JsonNode outcomes =
        Script.of("call_tools(input.requests, {max_parallel: 32}).map(outcome => outcome.ok)")
            .input(Map.of("requests", requests))
            .options(Map.of("max_parallel", 32))
            .value(assay);

    assertThat(outcomes).hasSize(requests.size());
    for (int i = 1; i < requests.size(); i += 2) {
      assertThat(outcomes.path(i).asBoolean()).as("request %d", i).isTrue();
    }
    assertThat(beside.calls(id)).isEqualTo(hostile.toolNames().size());
  }

  @Test
  void anEchoedCredentialIsRemovedFromResultsAndErrors() {
    JsonNode value =
        Script.of(
                """
                const echo = call_tool('counting-hostile', 'echo');
                const error = call_tool('counting-hostile', 'echo_error');
                console.log(JSON.stringify(echo.raw));
                ({echo, raw: echo.raw, error})
                """)
            .value(assay);

    assertThat(value.at("/echo/result").asText()).isEqualTo("sent: Bearer [redacted]");
    assertThat(value.at("/error/error/message").asText()).isEqualTo("sent: Bearer [redacted]");
    assertThat(value.toString()).doesNotContain(TOKEN);
  }

  @Test
  void whatTheServerAsksForIsRefused() {
    int before = hostile.replies().size();
    assertThat(Script.of("call_tool('counting-hostile', 'sampling')").value(assay))
        .hasToString("{\"ok\":true,\"result\":\"asked\"}");
    assertThat(hostile.replies().subList(before, hostile.replies().size()))
        .isNotEmpty()
        .allSatisfy(reply -> assertThat(reply).contains("\"error\"", "-32601"));
  }

  /** Each replica of the gateway lists a server again at most every half minute. */
  @Test
  void aServerThatAnnouncesChangesInALoopIsListedNoMoreOftenForThat() {
    int before = hostile.lists();
    assertThat(
            Script.outcomes(
                    List.of(
                        List.of(HOSTILE, "changes", Map.of()),
                        List.of(HOSTILE, "changes", Map.of()),
                        List.of(HOSTILE, FINE, Map.of())))
                .value(assay))
        .hasToString("[\"OK\",\"OK\",\"OK\"]");
    assertThat(hostile.lists() - before).isLessThan(10);
  }

  @Test
  void aListThatIsNoneIsRefusedAsAWhole() {
    Map<String, String> causes =
        Map.of(
            "cursors", "more than 64 pages",
            "many", "limits.tools (256)",
            "twice", "two tools have the same name",
            "long", "limits.listBytes");
    causes.forEach(
        (path, cause) ->
            servers.declare(LISTS + path, ToolServers.spec(hostile.url("/" + path)).build()));
    causes.forEach(
        (path, cause) -> assertThat(servers.awaitUnavailable(LISTS + path, cause)).isNotEmpty());
    assertThat(
            Script.outcomes(
                    List.of(
                        List.of(LISTS + "twice", "same", Map.of()),
                        List.of(LISTS + "many", "t1", Map.of()),
                        List.of(HOSTILE, FINE, Map.of())))
                .value(assay))
        .hasToString("[\"UPSTREAM_UNAVAILABLE no\",\"UPSTREAM_UNAVAILABLE no\",\"OK\"]");
  }

  /** Assay as one of its servers: what would create a run is refused, so that no loop begins. */
  @ParameterizedTest
  @ValueSource(strings = {"no header at all", "X-Assay-Tool-Call"})
  void codeCallsAssayBackAndCreatesNoRunThere(String lostOnTheWay) {
    Samples.sales(assay);
    try (Relay relay =
        Relay.start(
            assay.installation().toolServerHost(), assay.installation().endpoint(), lostOnTheWay)) {
      String secret =
          servers.credential(
              "counting-itself-" + id, assay.installation().key(), relay.url("/mcp"));
      servers.connect(
          ITSELF, ToolServers.spec(relay.url("/mcp")).auth(new Auth(secret, null, null)).build());
      JsonNode value =
          Script.of(
                  """
                  const own = (tool, args) => {
                    const outcome = call_tool('counting-itself', tool, args);
                    return outcome.ok ? 'OK' : outcome.error.message;
                  };
                  [own('list_runs', {limit: 1}),
                   own('code_execution', {code: '/* ' + input.id + ' */ 1'}),
                   own('execute_custom_analytics_code',
                       {dataset_name: 'sales_data', python_code: '# ' + input.id})]
                  """)
              .input(Map.of("id", id))
              .value(assay);

      assertThat(value.path(0).asText()).isEqualTo("OK");
      for (int i = 1; i < value.size(); i++) {
        assertThat(value.path(i).asText()).contains("The code of a run cannot create runs");
      }
      assertThat(assay.runs().inNamespace(assay.namespace()).list().getItems())
          .extracting(run -> run.getSpec().code())
          .doesNotContain("/* " + id + " */ 1", "# " + id);
    }
  }
}
