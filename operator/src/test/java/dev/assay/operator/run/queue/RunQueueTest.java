package dev.assay.operator.run.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.PodQueue;
import dev.assay.operator.kubernetes.UnschedulablePods;
import dev.assay.operator.run.fixture.FakeRunResources;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunQueueTest {
  private final ManualClock clock = new ManualClock();
  private final FakeRunResources resources = new FakeRunResources();
  private final RunQueue queue =
      new RunQueue(
          new PodQueue(clock),
          new NodeSlots(resources, new UnschedulablePods(clock), clock),
          resources);

  @Test
  void theCallersOfRunsTakeTurns() {
    AnalyticsRun first = refused(run(0, "many"));
    AnalyticsRun second = refused(run(1, "many"));
    AnalyticsRun single = refused(run(2, "single"));
    assertThat(queue.isFirst(first)).isTrue();
    queue.leave(first);
    assertThat(queue.isFirst(single)).isTrue();
    queue.leave(single);
    assertThat(queue.isFirst(second)).isTrue();
  }

  @Test
  void runsWithoutACallerTakeTurnsAsOneCaller() {
    AnalyticsRun first = refused(run(0, null));
    AnalyticsRun second = refused(run(1, null));
    AnalyticsRun named = refused(run(2, "named"));
    queue.leave(first);
    assertThat(queue.isFirst(named)).isTrue();
    queue.leave(named);
    assertThat(queue.isFirst(second)).isTrue();
  }

  private AnalyticsRun refused(AnalyticsRun run) {
    queue.refused(run, "exceeded quota: team-a");
    return run;
  }

  private static AnalyticsRun run(int number, @Nullable String caller) {
    AnalyticsRun run = Samples.run(Samples.run().getSpec().withCaller(caller), null);
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    run.getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    return run;
  }
}
