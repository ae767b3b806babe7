package dev.assay.operator.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.tool.CallHistory.Known;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallHistoryTest {
  private static final Replica REPLICA = new Replica("10.0.0.1", "a");

  private final CallHistory history = new CallHistory();

  @Test
  void earlierCallsAreCountedAndKnownByDigestAndOutcome() {
    made(1, 1, null, Sent.YES);
    made(2, 2, CallCode.UPSTREAM_ERROR, Sent.YES);
    refused(3, 3, CallCode.TOOL_NOT_FOUND);
    history.add(intent(4, 4, 1));

    assertThat(history.counts()).isEqualTo(new ToolCallCounts(3, 2, 1));
    assertThat(history.usage(1).sent()).isEqualTo(2);
    assertThat(history.intent(1)).as("no more than what is needed").isEmpty();
    assertThat(history.digest(1)).contains("digest-1");
    assertThat(history.digest(4)).contains("digest-4");
    assertThat(history.digest(5)).isEmpty();
    assertThat(history.outcome(2)).contains(new Known(CallCode.UPSTREAM_ERROR, Sent.YES));
    assertThat(history.outcome(4)).isEmpty();
    assertThat(history.withoutEnd()).containsExactly(4);
    assertThat(history.addresses()).containsExactly("10.0.0.1");
  }

  @Test
  void whatIsRecordedLateOfAnEarlierCallChangesNothing() {
    made(1, 1, null, Sent.YES);
    made(2, 2, null, Sent.YES);
    history.add(end(1, 1, CallCode.OUTCOME_UNKNOWN, Sent.UNKNOWN));
    history.add(intent(1, 1, 2));

    assertThat(history.outcome(1)).contains(new Known(null, Sent.YES));
    assertThat(history.withoutEnd()).isEmpty();
    assertThat(history.counts()).isEqualTo(new ToolCallCounts(2, 0, 0));
  }

  @Test
  void aCallThatHasNoOutcomeIsKeptUntilItHasOne() {
    history.add(intent(1, 1, 1));
    made(2, 2, null, Sent.YES);
    assertThat(history.withoutEnd()).containsExactly(1);
    assertThat(history.intent(1)).isPresent();
    history.add(end(1, 1, CallCode.OUTCOME_UNKNOWN, Sent.UNKNOWN));
    made(3, 3, null, Sent.YES);

    assertThat(history.counts()).isEqualTo(new ToolCallCounts(3, 1, 0));
    assertThat(history.intent(1)).isEmpty();
  }

  @Test
  void theIntentOfAnOpenCallIsKeptThoughAnotherProcessHasRecordedItsOutcome() {
    made(1, 1, null, Sent.YES);
    history.add(intent(1, 1, 2));

    assertThat(history.intent(1)).map(Intent::attempt).contains(2);
  }

  @Test
  void theFirstCallAboveTheLimitIsRemembered() {
    made(1, 1, null, Sent.YES);
    refused(3, 2, CallCode.MAX_TOOL_CALLS_EXCEEDED);
    refused(2, 2, CallCode.MAX_TOOL_CALLS_EXCEEDED);
    refused(4, 4, CallCode.MAX_TOOL_CALLS_EXCEEDED);

    assertThat(history.usage(0).excess()).isEqualTo(Optional.of(2));
  }

  private void made(int call, int group, @Nullable CallCode code, Sent sent) {
    history.add(intent(call, group, 1));
    history.add(end(call, group, code, sent));
  }

  private void refused(int call, int group, CallCode code) {
    history.add(end(call, group, code, Sent.NO));
  }

  private static Intent intent(int call, int group, int attempt) {
    return new Intent(call, group, subject(call), attempt, REPLICA, "process", "now");
  }

  private static End end(int call, int group, @Nullable CallCode code, Sent sent) {
    return new End(call, group, subject(call), code, sent, 2, "sha", 1L, "now");
  }

  private static Subject subject(int call) {
    return new Subject("crm", "find", "digest-" + call, 2, "sha", null);
  }
}
