package dev.assay.operator.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import org.junit.jupiter.api.Test;

class CallMetricsTest {
  private static final String HEAD =
      """
      # HELP assay_tool_calls_total Calls of tools that the code of runs made.
      # TYPE assay_tool_calls_total counter
      """;

  private final CallMetrics metrics = new CallMetrics();

  @Test
  void callsAreCountedByNamespaceServerCodeAndWhetherTheyWereSent() {
    metrics.count("team-a", "crm", null, Sent.YES);
    metrics.count("team-b", "crm", null, Sent.YES);
    metrics.count("team-a", "store", null, Sent.YES);
    metrics.count("team-a", "crm", CallCode.UPSTREAM_TIMEOUT, Sent.UNKNOWN);
    metrics.count("team-a", "crm", CallCode.UPSTREAM_TIMEOUT, Sent.NO);
    metrics.count("team-a", "crm", null, Sent.YES);
    assertThat(metrics.text())
        .isEqualTo(
            HEAD
                + """
                assay_tool_calls_total{namespace="team-a",server="crm",code="OK",sent="yes"} 2
                assay_tool_calls_total{namespace="team-a",server="crm",code="UPSTREAM_TIMEOUT",sent="no"} 1
                assay_tool_calls_total{namespace="team-a",server="crm",code="UPSTREAM_TIMEOUT",sent="unknown"} 1
                assay_tool_calls_total{namespace="team-a",server="store",code="OK",sent="yes"} 1
                assay_tool_calls_total{namespace="team-b",server="crm",code="OK",sent="yes"} 1
                """);
  }

  @Test
  void unknownServersShareAnEmptyLabel() {
    for (int call = 0; call < 3; call++) {
      metrics.count("team-a", CallMetrics.UNKNOWN_SERVER, CallCode.SERVER_NOT_FOUND, Sent.NO);
    }
    assertThat(metrics.text())
        .isEqualTo(
            HEAD
                + """
                assay_tool_calls_total{namespace="team-a",server="",code="SERVER_NOT_FOUND",sent="no"} 3
                """);
  }

  @Test
  void theMetricIsDescribedBeforeTheFirstCall() {
    assertThat(metrics.text()).isEqualTo(HEAD);
  }
}
