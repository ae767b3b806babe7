package dev.assay.operator.run.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.fixture.FakeRunResources;
import dev.assay.operator.run.status.RunTransitions;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClassSlotsTest {
  private final FakeRunResources resources = new FakeRunResources();
  private final ClassSlots slots = new ClassSlots(resources);

  @Test
  void aClassWithoutALimitHasASlotForEachRun() {
    RunClass unlimited = limitedTo(null);
    for (int i = 0; i < 20; i++) {
      assertThat(slots.take(run(i, null), unlimited)).isTrue();
    }
    assertThat(slots.take(run(20, null), limitedTo(1))).as("nothing was counted").isTrue();
  }

  @Test
  void aRunThatWaitsGetsASlotWhenTheLimitIsRemoved() {
    RunClass limited = limitedTo(1);
    slots.take(run(0, null), limited);
    assertThat(slots.take(run(1, null), limited)).isFalse();
    assertThat(slots.take(run(1, null), limitedTo(null))).isTrue();
    assertThat(slots.isWaiting(run(1, null))).isFalse();
  }

  @Test
  void onlyRunsOfTheClassAreRestored() {
    AnalyticsRun waiting = run(0, waitingStatus());
    resources.waitingForRoom.add(waiting);
    RunClass other = limitedTo(1);
    resources.runClass = Samples.runClass(Samples.classSpec(Purpose.Run));
    other.getMetadata().setName("javascript");
    slots.restore(waiting, other);
    assertThat(slots.isWaiting(waiting)).as("it is of another class").isFalse();
    slots.restore(waiting, limitedTo(1));
    assertThat(slots.isWaiting(waiting)).isTrue();
  }

  private static AnalyticsRunStatus waitingStatus() {
    return RunTransitions.waiting(Samples.run(), RunReason.Queued, "Queued").orElseThrow();
  }

  private RunClass limitedTo(@Nullable Integer maxConcurrentRuns) {
    RunClass runClass =
        Samples.runClass(Samples.classSpec(Purpose.Run).withMaxConcurrentRuns(maxConcurrentRuns));
    resources.runClass = runClass;
    return runClass;
  }

  private static AnalyticsRun run(int number, @Nullable AnalyticsRunStatus status) {
    AnalyticsRun run = Samples.run(Samples.run().getSpec(), status);
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    run.getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    return run;
  }
}
