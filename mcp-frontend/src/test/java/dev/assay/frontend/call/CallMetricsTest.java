package dev.assay.frontend.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallMetricsTest {
  private final ProgramMetrics program = ProgramMetrics.create();
  private final CallMetrics metrics = new CallMetrics(program);

  @Test
  void callsAreCountedByToolAndOutcomeWithTheirTime() {
    metrics.ended("get_run", "Succeeded", Duration.ofMillis(20));
    metrics.ended("get_run", "NotFound", Duration.ofMillis(300));
    assertThat(program.text())
        .contains("assay_frontend_calls_total{outcome=\"NotFound\",tool=\"get_run\"} 1.0\n")
        .contains("assay_frontend_call_seconds_bucket{tool=\"get_run\",le=\"0.05\"} 1\n")
        .contains("assay_frontend_call_seconds_bucket{tool=\"get_run\",le=\"1.0\"} 2\n");
  }

  @Test
  void theSizeOfARepliedTextIsCountedInBytesAndTokens() {
    metrics.replied("get_run", Reply.success("é".repeat(1000)));
    assertThat(program.text())
        .contains("assay_frontend_reply_bytes_sum{tool=\"get_run\"} 2000.0\n")
        .contains("assay_frontend_reply_tokens_count{tool=\"get_run\"} 1\n")
        .doesNotContain("assay_frontend_reply_tokens_sum{tool=\"get_run\"} 0.0\n");
  }

  @Test
  void outcomesBeyondTheUsualOnesShareALabel() {
    for (int outcome = 0; outcome < CallMetrics.MAX_OUTCOMES + 10; outcome++) {
      metrics.ended("get_run", "Made" + outcome, Duration.ZERO);
    }
    assertThat(program.text())
        .contains("assay_frontend_calls_total{outcome=\"other\",tool=\"get_run\"} 10.0\n");
  }
}
