package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Two callers of one namespace: a key without a share, and one that may do all with all runs. */
@Core
@ClusterOnly("its one key may read all runs")
class CallersE2E {
  private static final String LIMITED = "execute_custom_analytics_code";

  @Test
  void aRunOfAnotherCallerDoesNotExist(Assay assay) {
    String marker = UUID.randomUUID().toString();
    AnalyticsRun run = ran(assay, marker);
    String name = run.getMetadata().getName();
    try (McpSyncClient other = assay.connect(assay.installation().otherKey())) {
      for (String tool : new String[] {"get_run", "cancel_run"}) {
        assertThat(call(other, tool, Map.of("name", name)).text())
            .contains("There is no run '" + name + "'");
      }
      assertThat(call(other, "list_runs", Map.of("limit", 100)).text()).doesNotContain(name);
      assertThatThrownBy(
              () ->
                  other.readResource(
                      ReadResourceRequest.builder("assay://runs/" + name + "/output").build()))
          .isInstanceOf(McpError.class)
          .hasMessageContaining("There is no run");
      String taken =
          call(
                  other,
                  LIMITED,
                  Map.of(
                      "dataset_name",
                      "sales_data",
                      "python_code",
                      "print(open('inputs/a.txt').read())",
                      "inputs",
                      new Object[] {Map.of("run", name, "artifact", "artifacts/a.txt")}))
              .text();
      assertThat(taken).contains("was not found").doesNotContain(marker);
    }
    assertThat(assay.call("get_run", Map.of("name", name)).text()).contains("done");
  }

  @Test
  void aKeyForAllRunsReadsThoseOfOthers(Assay assay) {
    Samples.sales(assay);
    String marker = UUID.randomUUID().toString();
    try (McpSyncClient other = assay.connect(assay.installation().otherKey())) {
      call(
          other,
          LIMITED,
          Map.of("dataset_name", "sales_data", "python_code", "print('" + marker + "')"));
    }
    String name =
        assay.runs().inNamespace(assay.namespace()).list().getItems().stream()
            .filter(run -> String.valueOf(run.getSpec().code()).contains(marker))
            .findFirst()
            .orElseThrow()
            .getMetadata()
            .getName();
    assertThat(assay.call("get_run", Map.of("name", name)).text()).contains(marker);
  }

  private static AnalyticsRun ran(Assay assay, String marker) {
    Samples.sales(assay);
    String code = "open('artifacts/a.txt', 'w').write('%s')\nprint('done')".formatted(marker);
    assertThat(assay.run("sales_data", code, 60).text()).startsWith("done");
    return assay.runs().inNamespace(assay.namespace()).list().getItems().stream()
        .filter(run -> code.equals(run.getSpec().code()))
        .findFirst()
        .orElseThrow();
  }

  private static Reply call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return Reply.of(
        client.callTool(CallToolRequest.builder(tool).arguments(arguments).build()), Duration.ZERO);
  }
}
