package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.e2e.upstream.CountingUpstream;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An API key that is limited in the values of the chart, up to the calls of its scripts. */
@Core
@ClusterOnly("its one key may call everything")
class ToolKeysE2E {
  /** That the key of the other caller grants. */
  private static final String GRANTED = "counting-granted";

  private static final String OTHER = "counting-beyond";

  private final Assay assay;
  private final ToolServers servers;
  private final String id = UUID.randomUUID().toString();
  private CountingUpstream upstream;

  ToolKeysE2E(Assay assay) {
    this.assay = assay;
    this.servers = new ToolServers(assay);
  }

  @BeforeEach
  void connect() {
    upstream = CountingUpstream.start(assay.installation().toolServerHost());
    servers.connect(GRANTED, upstream.url());
    servers.connect(OTHER, upstream.url());
  }

  @AfterEach
  void close() {
    servers.close();
    upstream.close();
  }

  @Test
  void scriptsOfAKeyCallAndFindWhatItGrants() {
    Script script =
        Script.outcomes(
            List.of(
                List.of(GRANTED, "echo", Map.of("value", 1)),
                List.of(GRANTED, "count", Map.of("id", id)),
                List.of(OTHER, "echo", Map.of("value", 1)),
                List.of("no-such-server", "echo", Map.of())));
    try (McpSyncClient limited = assay.connect(assay.installation().otherKey())) {
      JsonNode reply = call(limited, Script.TOOL, script.arguments()).document();
      assertThat(reply.path("value"))
          .as(reply.toString())
          .hasToString(
              "[\"OK\",\"PERMISSION_DENIED no\",\"ACCESS_DENIED no\",\"ACCESS_DENIED no\"]");
      assertThat(upstream.calls(id)).isZero();
      assertThat(granted(reply.path("execution_id").asText()))
          .isEqualTo(new ToolGrants(List.of(GRANTED), List.of(ToolPermission.READ)));
      assertThat(call(limited, "search_tools", Map.of("query", "counting")).text())
          .contains("call_tool(\"" + GRANTED + "\", \"echo\"")
          .doesNotContain(OTHER, "\"count\"", "\"erase\"");
    }
    assertThat(script.value(assay))
        .as("the key without limits")
        .hasToString("[\"OK\",\"OK\",\"OK\",\"SERVER_NOT_FOUND no\"]");
  }

  private static Reply call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return Reply.of(
        client.callTool(CallToolRequest.builder(tool).arguments(arguments).build()), Duration.ZERO);
  }

  private ToolGrants granted(String run) {
    AnalyticsRun created = assay.runs().inNamespace(assay.namespace()).withName(run).require();
    RunTools tools = Objects.requireNonNull(created.getSpec().tools());
    return Objects.requireNonNull(tools.granted());
  }
}
