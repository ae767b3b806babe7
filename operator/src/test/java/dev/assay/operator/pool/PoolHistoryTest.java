package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.PoolHistory.Counts;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolHistoryTest {
  private final ManualClock clock = new ManualClock();
  private final PoolHistory history = IdlePods.history(clock);
  private final RunClass runClass = Samples.runClass(Samples.classSpec(Purpose.Run));
  private final PoolKey key =
      new PoolKey(Samples.NAMESPACE, runClass.getMetadata().getName(), Program.PYTHON);

  @Test
  void aRunCountsOnceHoweverOftenItLooksForAPod() {
    history.called(key, "run-1", false);
    history.called(key, "run-1", true);
    history.called(key, "run-2", true);
    assertThat(history.counts(key)).isEqualTo(new Counts(1, 1));
    assertThat(history.arrivals(key).recent()).isEqualTo(2);
  }

  @Test
  void theCountsOfAnEarlierLeaderAreAddedOnce() {
    runClass.setStatus(
        RunClassStatus.EMPTY.withWarmPool(
            PoolStatus.of(List.of(new NamespacePool(Samples.NAMESPACE, "python", 0, 0, 7, 2, null)))
                .orElseThrow()));
    history.called(key, "run-1", true);
    history.classesAre(List.of(runClass));
    history.classesAre(List.of(runClass));
    assertThat(history.counts(key)).isEqualTo(new Counts(8, 2));
  }

  @Test
  void aClassThatWasCreatedAgainHasNoCalls() {
    history.classesAre(List.of(runClass));
    history.called(key, "run-1", true);
    RunClass next = Samples.runClass(runClass.getSpec());
    next.getMetadata().setUid("uid-of-the-next");
    history.classesAre(List.of(next));
    assertThat(history.counts(key)).isEqualTo(Counts.NONE);
    assertThat(history.arrivals(key)).isEqualTo(Arrivals.NONE);
  }
}
