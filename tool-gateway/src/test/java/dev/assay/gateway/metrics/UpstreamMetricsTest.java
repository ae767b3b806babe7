package dev.assay.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UpstreamMetricsTest {
  private final UpstreamMetrics metrics = new UpstreamMetrics();

  @Test
  void callsAndTheirTimeAreCountedByServerAndCode() {
    metrics.count("team/crm", UpstreamMetrics.OK, 1500);
    metrics.count("team/crm", UpstreamMetrics.OK, 250);
    metrics.count("team/crm", "UPSTREAM_TIMEOUT", 3000);
    metrics.count("other/crm", UpstreamMetrics.OK, 0);
    metrics.count(UpstreamMetrics.UNKNOWN_SERVER, "SERVER_NOT_FOUND", 0);

    assertThat(metrics.text(2))
        .isEqualTo(
            """
            # HELP assay_gateway_tool_calls_total Calls of tools that have ended.
            # TYPE assay_gateway_tool_calls_total counter
            assay_gateway_tool_calls_total{server="",code="SERVER_NOT_FOUND"} 1
            assay_gateway_tool_calls_total{server="other/crm",code="OK"} 1
            assay_gateway_tool_calls_total{server="team/crm",code="OK"} 2
            assay_gateway_tool_calls_total{server="team/crm",code="UPSTREAM_TIMEOUT"} 1
            # HELP assay_gateway_tool_call_seconds_total Time that these calls took.
            # TYPE assay_gateway_tool_call_seconds_total counter
            assay_gateway_tool_call_seconds_total{server="",code="SERVER_NOT_FOUND"} 0.0
            assay_gateway_tool_call_seconds_total{server="other/crm",code="OK"} 0.0
            assay_gateway_tool_call_seconds_total{server="team/crm",code="OK"} 1.75
            assay_gateway_tool_call_seconds_total{server="team/crm",code="UPSTREAM_TIMEOUT"} 3.0
            # HELP assay_gateway_tool_calls_in_flight Calls of tools that are being made.
            # TYPE assay_gateway_tool_calls_in_flight gauge
            assay_gateway_tool_calls_in_flight 2
            """);
  }
}
