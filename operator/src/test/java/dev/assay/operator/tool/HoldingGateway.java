package dev.assay.operator.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.toolcall.CallCode;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** A tool gateway for tests of other packages. No call that reaches it has an outcome. */
public final class HoldingGateway {
  /** Where its one replica is. */
  public static final String ADDRESS = "10.0.0.1";

  /** What is recorded of a call that was in flight when its run ended. */
  public static final String UNKNOWN = CallCode.OUTCOME_UNKNOWN.name();

  private final FakeGatewayClient client = new FakeGatewayClient(ADDRESS);
  private final CountDownLatch reached = new CountDownLatch(1);

  public HoldingGateway() {
    CountDownLatch never = new CountDownLatch(1);
    client.beforeAnswering =
        (address, call) -> {
          reached.countDown();
          never.await();
        };
  }

  /** The calls of an operator that has this gateway. */
  public ToolCalls toolCalls(
      RunnerClient runners, RunOutputs outputs, ExecutorService threads, Clock clock) {
    return new ToolCalls(
        new ToolCallServices(
            Optional.of(client),
            ToolServers.NONE,
            outputs,
            runners,
            new CallMetrics(ProgramMetrics.unread()),
            threads,
            clock));
  }

  /** Records, as an earlier operator process, that the first call of a run was sent. */
  public static void recordCall(RunOutputs outputs, String namespace, String runUid)
      throws IOException {
    Subject subject = new Subject("crm", "find", "digest", 2, "sha", null);
    Intent unused =
        new CallLog(outputs, namespace, runUid)
            .intend(new Intent(1, 1, subject, 1, new Replica(ADDRESS, "a"), "earlier", "now"));
  }

  /** Waits until a call is in flight. */
  public void awaitCall() throws InterruptedException {
    assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
  }

  /** What was closed: address and run. */
  public List<String> closed() {
    return client.closed;
  }
}
