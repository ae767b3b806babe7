package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.identity.Identity;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CancellationsTest {
  private static final String SESSION = "s";

  private final FakeRuns runs = new FakeRuns();
  private final Cancellations cancellations =
      new Cancellations(new CallsInFlight(), runs, Duration.ofMinutes(5));

  @Test
  void aCallerWhoCancelsInALoopTakesNoCancellationFromOthers() throws Exception {
    for (int id = 0; id <= 1_000; id++) {
      cancel("mallory", id);
    }
    cancel("alice", 7);

    runs.create(called("beyond-the-share", "mallory", 1_000));
    runs.create(called("first-of-mallory", "mallory", 0));
    assertThat(runs.cancelled.poll(10, TimeUnit.SECONDS)).isEqualTo("first-of-mallory");
    runs.create(called("of-alice", "alice", 7));
    assertThat(runs.cancelled.poll(10, TimeUnit.SECONDS)).isEqualTo("of-alice");
    assertThat(runs.cancelled).isEmpty();
  }

  private void cancel(String caller, int id) {
    cancellations.cancelled(new Identity(caller, "runs"), SESSION, Map.of("requestId", id));
  }

  private static AnalyticsRun called(String name, String caller, int id) {
    AnalyticsRun run = Fixtures.run(name, null);
    run.setSpec(run.getSpec().with().caller(caller).requestId(SESSION + ".n" + id).build());
    return run;
  }
}
