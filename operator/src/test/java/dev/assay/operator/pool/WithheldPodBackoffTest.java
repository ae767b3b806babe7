package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WithheldPodBackoffTest {
  private static final PoolKey POOL = new PoolKey(Samples.NAMESPACE, "python", Program.PYTHON);
  private static final PoolKey OTHER = new PoolKey(Samples.NAMESPACE, "other", Program.PYTHON);

  private final ManualClock clock = new ManualClock();
  private final Instant begin = clock.instant();
  private final WithheldPodBackoff backoff = new WithheldPodBackoff();

  @Test
  void aPodIsReplacedOnceItHasBeenWithheldForAWhile() {
    clock.advance(WithheldPodBackoff.FIRST.minusMillis(1));
    assertThat(isReplaced(POOL)).isFalse();
    clock.advance(WithheldPodBackoff.FIRST);
    assertThat(isReplaced(POOL)).isTrue();
  }

  @Test
  void thePodsOfAPoolAreReplacedOneAfterTheOther() {
    clock.advance(WithheldPodBackoff.FIRST);
    assertThat(isReplaced(POOL)).isTrue();
    assertThat(isReplaced(POOL)).isFalse();
    assertThat(isReplaced(OTHER)).isTrue();
  }

  @Test
  void thoseThatStayWithheldAreReplacedLessAndLessOftenUpToOnceAnHour() {
    clock.advance(WithheldPodBackoff.FIRST);
    for (int minutes : new int[] {3, 6, 12, 24, 48, 60, 60}) {
      assertThat(isReplaced(POOL)).isTrue();
      clock.advance(Duration.ofMinutes(minutes).minusMillis(1));
      assertThat(isReplaced(POOL)).as("within %d minutes", minutes).isFalse();
      clock.advance(Duration.ofMillis(1));
    }
    clock.advance(WithheldPodBackoff.FORGOTTEN);
    assertThat(isReplaced(POOL)).isTrue();
    clock.advance(WithheldPodBackoff.FIRST);
    assertThat(isReplaced(POOL)).as("what was long ago is forgotten").isTrue();
  }

  @Test
  void aPoolWhoseClassIsGoneIsForgotten() {
    clock.advance(WithheldPodBackoff.FIRST);
    assertThat(isReplaced(POOL)).isTrue();
    assertThat(isReplaced(OTHER)).isTrue();
    backoff.retainOnly(Set.of("other"));
    assertThat(isReplaced(OTHER)).isFalse();
    assertThat(isReplaced(POOL)).isTrue();
  }

  private boolean isReplaced(PoolKey pool) {
    return backoff.take(pool, begin, clock.instant());
  }
}
