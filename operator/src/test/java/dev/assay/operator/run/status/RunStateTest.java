package dev.assay.operator.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.Samples;
import org.junit.jupiter.api.Test;

class RunStateTest {
  @Test
  void aRunIsActiveUntilItHasEnded() {
    AnalyticsRun run = Samples.run();
    assertThat(RunState.isActive(run)).isTrue();
    run.setStatus(AnalyticsRunStatusBuilder.builder().phase(RunPhase.Failed).build());
    assertThat(RunState.isActive(run)).isFalse();
  }

  /** It would wait for ever, first in the queues: the operator is not called for it any more. */
  @Test
  void aRunThatIsMarkedForDeletionIsNotActiveHoweverLongAFinalizerKeepsIt() {
    AnalyticsRun run = Samples.run();
    run.addFinalizer("example.com/keep");
    run.getMetadata().setDeletionTimestamp(Samples.CREATED);
    assertThat(RunState.isActive(run)).isFalse();
  }
}
