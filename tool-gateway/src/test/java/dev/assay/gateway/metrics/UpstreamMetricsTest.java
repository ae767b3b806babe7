package dev.assay.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import org.junit.jupiter.api.Test;

class UpstreamMetricsTest {
  private final ProgramMetrics program = ProgramMetrics.create();
  private final UpstreamMetrics metrics = new UpstreamMetrics(program, () -> 2);

  @Test
  void callsAndTheirTimeAreCountedByServerAndCode() {
    metrics.count("team/crm", UpstreamMetrics.OK, 1500);
    metrics.count("team/crm", UpstreamMetrics.OK, 250);
    metrics.count("team/crm", "UPSTREAM_TIMEOUT", 3000);
    metrics.count("other/crm", UpstreamMetrics.OK, 0);
    metrics.count(UpstreamMetrics.UNKNOWN_SERVER, "SERVER_NOT_FOUND", 0);

    assertThat(program.text())
        .isEqualTo(
            """
            # HELP assay_gateway_tool_call_seconds_total Time that these calls took.
            # TYPE assay_gateway_tool_call_seconds_total counter
            assay_gateway_tool_call_seconds_total{code="OK",server="other/crm"} 0.0
            assay_gateway_tool_call_seconds_total{code="OK",server="team/crm"} 1.75
            assay_gateway_tool_call_seconds_total{code="SERVER_NOT_FOUND",server=""} 0.0
            assay_gateway_tool_call_seconds_total{code="UPSTREAM_TIMEOUT",server="team/crm"} 3.0
            # HELP assay_gateway_tool_calls_total Calls of tools that have ended.
            # TYPE assay_gateway_tool_calls_total counter
            assay_gateway_tool_calls_total{code="OK",server="other/crm"} 1.0
            assay_gateway_tool_calls_total{code="OK",server="team/crm"} 2.0
            assay_gateway_tool_calls_total{code="SERVER_NOT_FOUND",server=""} 1.0
            assay_gateway_tool_calls_total{code="UPSTREAM_TIMEOUT",server="team/crm"} 1.0
            # HELP assay_gateway_tool_calls_in_flight Calls of tools that are being made.
            # TYPE assay_gateway_tool_calls_in_flight gauge
            assay_gateway_tool_calls_in_flight 2.0
            """);
  }
}
