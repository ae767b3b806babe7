package dev.assay.operator.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import org.junit.jupiter.api.Test;

class CallMetricsTest {
  private final ProgramMetrics program = ProgramMetrics.create();
  private final CallMetrics metrics = new CallMetrics(program);

  @Test
  void callsAreCountedByNamespaceServerCodeAndWhetherTheyWereSent() {
    metrics.count("team-a", "crm", null, Sent.YES);
    metrics.count("team-b", "crm", null, Sent.YES);
    metrics.count("team-a", "crm", CallCode.UPSTREAM_TIMEOUT, Sent.UNKNOWN);
    metrics.count("team-a", "crm", null, Sent.YES);
    assertThat(program.text())
        .isEqualTo(
            """
            # HELP assay_tool_calls_total Calls of tools that the code of runs made.
            # TYPE assay_tool_calls_total counter
            assay_tool_calls_total{code="OK",namespace="team-a",sent="yes",server="crm"} 2.0
            assay_tool_calls_total{code="OK",namespace="team-b",sent="yes",server="crm"} 1.0
            assay_tool_calls_total{code="UPSTREAM_TIMEOUT",namespace="team-a",sent="unknown",server="crm"} 1.0
            """);
  }

  @Test
  void unknownServersShareAnEmptyLabel() {
    for (int call = 0; call < 3; call++) {
      metrics.count("team-a", CallMetrics.UNKNOWN_SERVER, CallCode.SERVER_NOT_FOUND, Sent.NO);
    }
    assertThat(program.text())
        .contains("{code=\"SERVER_NOT_FOUND\",namespace=\"team-a\",sent=\"no\",server=\"\"} 3.0\n");
  }
}
