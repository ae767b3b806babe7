package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolPausesTest {
  private static final PoolKey POOL = new PoolKey(Samples.NAMESPACE, "python", Program.PYTHON);
  private static final PoolKey OTHER = new PoolKey(Samples.NAMESPACE, "other", Program.PYTHON);

  private final ManualClock clock = new ManualClock();
  private final PoolPauses pauses = new PoolPauses(clock);

  @Test
  void eachFailureIsFollowedByALongerPauseUpToTwoMinutes() {
    for (int seconds : new int[] {5, 10, 20, 40, 80, 120, 120}) {
      pauses.failed(POOL, "no");
      assertPausedFor(seconds);
    }
  }

  @Test
  void aPodThatBecomesIdleMakesTheNextFailureTheFirst() {
    pauses.failed(POOL, "no");
    assertPausedFor(5);
    pauses.failed(POOL, "no");
    pauses.succeeded(POOL);
    assertPausedFor(10);
    pauses.failed(POOL, "no");
    assertPausedFor(5);
  }

  @Test
  void aPoolWhoseClassIsGoneIsForgotten() {
    pauses.failed(POOL, "no");
    pauses.failed(OTHER, "no");
    pauses.retainOnly(Set.of("other"));
    assertThat(pauses.isPaused(POOL)).isFalse();
    assertThat(pauses.isPaused(OTHER)).isTrue();
  }

  @Test
  void podsThatFailTogetherAreOneFailure() {
    for (int pod = 0; pod < 4; pod++) {
      pauses.failed(POOL, "no");
    }
    assertPausedFor(5);
    pauses.failed(POOL, "no");
    assertPausedFor(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aRejectedPodIsFollowedByTheSamePauseEachTime(int times) {
    for (int time = 0; time < times; time++) {
      pauses.rejected(POOL, "exceeded quota");
      assertPausedFor(10);
    }
  }

  @Test
  void otherPoolsAreNotPaused() {
    pauses.failed(POOL, "no");
    pauses.rejected(POOL, "no");
    assertThat(pauses.isPaused(OTHER)).isFalse();
  }

  private void assertPausedFor(int seconds) {
    clock.advance(Duration.ofSeconds(seconds - 1));
    assertThat(pauses.isPaused(POOL)).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(pauses.isPaused(POOL)).isFalse();
  }
}
