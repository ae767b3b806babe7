package dev.assay.operator.tool;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.ManualClock;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallLogTest {
  private final FakeOutputStore store = new FakeOutputStore();
  private final RunOutputs outputs = new RunOutputs(store, new ManualClock());

  @Test
  void theFirstIntentInTheLogCountsForEveryProcess() throws Exception {
    CallLog first = log();
    CallLog second = log();
    first.load();
    second.load();
    assertThat(first.intend(intent(1, 1, "one")).process()).isEqualTo("one");
    assertThat(second.intend(intent(1, 1, "two")).process()).isEqualTo("one");
    assertThat(second.intend(intent(1, 2, "two")).process()).isEqualTo("two");
    assertThat(first.intend(intent(1, 2, "one")).process()).isEqualTo("two");
  }

  @Test
  void theLogIsReadAgainOnlyWhereAnotherProcessHasAppendedToIt() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    FakeOutputStore counted =
        new FakeOutputStore() {
          @Override
          public InputStream calls(String namespace, String runUid, long offset)
              throws IOException {
            reads.incrementAndGet();
            return super.calls(namespace, runUid, offset);
          }
        };
    RunOutputs shared = new RunOutputs(counted, new ManualClock());
    CallLog log = new CallLog(shared, NAMESPACE, RUN_UID);
    log.load();
    log.intend(intent(1, 1, "one"));
    log.end(end(1));
    assertThat(log.intend(intent(2, 1, "one", "{}")).process()).isEqualTo("one");
    assertThat(reads).as("when it was loaded").hasValue(1);
    CallLog other = new CallLog(shared, NAMESPACE, RUN_UID);
    other.load();
    assertThat(other.counts()).isEqualTo(log.counts());
    assertThat(other.ask(CallHistory::recordedArguments))
        .isEqualTo(log.ask(CallHistory::recordedArguments));
    other.intend(intent(3, 1, "two"));
    reads.set(0);
    assertThat(log.intend(intent(3, 1, "one")).process()).isEqualTo("two");
    assertThat(reads).hasValue(1);
  }

  @Test
  void aLineThatAProcessHasNotEndedIsLeftOut() throws Exception {
    CallLog killed = log();
    killed.intend(intent(1, 1, "one"));
    outputs.appendCalls(NAMESPACE, RUN_UID, "{\"type\":\"inte".getBytes(UTF_8), true);
    CallLog next = log();
    next.load();
    assertThat(next.intend(intent(2, 1, "two")).process()).isEqualTo("two");
    CallLog last = log();
    last.load();
    assertThat(last.ask(CallHistory::withoutEnd)).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void anIntentThatIsNotStoredIsNoIntent() throws Exception {
    CallLog log = log();
    store.failNext(1);
    assertThatThrownBy(() -> log.intend(intent(1, 1, "one"))).isInstanceOf(IOException.class);
    log.end(end(2));
    log.flush();
    assertThat(text()).doesNotContain("intent").contains("\"call\":2");
  }

  @Test
  void anOutcomeThatCannotBeStoredNowIsStoredWithTheNextRecord() throws Exception {
    CallLog log = log();
    store.failNext(1);
    log.end(end(1));
    assertThat(log.counts()).isEqualTo(new ToolCallCounts(1, 0, 0));
    assertThat(text()).isEmpty();
    log.intend(intent(2, 1, "one"));
    assertThat(text().lines().filter(line -> !line.isEmpty())).hasSize(2);
  }

  @Test
  void theCallsOfABatchAreAllRecorded() throws Exception {
    CallLog log = log();
    List<Future<Intent>> intents = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int call = 1; call <= 100; call++) {
        int number = call;
        intents.add(threads.submit(() -> log.intend(intent(number, 1, "one"))));
      }
    }
    for (int call = 1; call <= 100; call++) {
      assertThat(intents.get(call - 1).get().call()).isEqualTo(call);
    }
    assertThat(text().lines()).hasSize(100);
  }

  @Test
  void argumentsAreInTheLogAndNotInMemory() throws Exception {
    CallLog log = log();
    Intent recorded = log.intend(intent(1, 1, "one", "{\"secret\":1}"));
    assertThat(recorded.subject().arguments()).isNull();
    assertThat(log.ask(CallHistory::recordedArguments)).isEqualTo(2);
    assertThat(CallRecordsTest.lines(text()))
        .singleElement()
        .asString()
        .contains("\"arguments\":\"{\\\"secret\\\":1}\"");
  }

  @Test
  void aLineOfAnotherVersionIsLeftOut() throws Exception {
    outputs.appendCalls(NAMESPACE, RUN_UID, "{\"type\":\"later\"}\n\n[]\n".getBytes(UTF_8), true);
    CallLog log = log();
    log.load();
    assertThat(log.counts()).isEqualTo(ToolCallCounts.NONE);
  }

  private CallLog log() {
    return new CallLog(outputs, NAMESPACE, RUN_UID);
  }

  private String text() throws IOException {
    return new String(store.calls(NAMESPACE, RUN_UID, 0).readAllBytes(), UTF_8);
  }

  private static Intent intent(int call, int attempt, String process) {
    return intent(call, attempt, process, null);
  }

  private static Intent intent(int call, int attempt, String process, @Nullable String arguments) {
    return new Intent(
        call, call, subject(arguments), attempt, new Replica("10.0.0.1", "a"), process, "now");
  }

  private static End end(int call) {
    return new End(call, call, subject(null), null, Sent.YES, 2, "sha", 1L, "now");
  }

  private static Subject subject(@Nullable String arguments) {
    return new Subject("crm", "find", "digest", 2, "sha", arguments);
  }
}
