package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolStartsTest {
  private static final PoolKey POOL = new PoolKey(Samples.NAMESPACE, "python", Program.PYTHON);
  private static final PoolKey OTHER = new PoolKey(Samples.NAMESPACE, "other", Program.PYTHON);

  private final ManualClock clock = new ManualClock();
  private final PoolStarts starts = new PoolStarts(clock);

  @Test
  void eachFailureIsFollowedByALongerPauseUpToTwoMinutes() {
    for (int seconds : new int[] {5, 10, 20, 40, 80, 120, 120}) {
      starts.failed(POOL, "no");
      assertPausedFor(seconds);
    }
  }

  @Test
  void aPodThatBecomesIdleMakesTheNextFailureTheFirst() {
    starts.failed(POOL, "no");
    assertPausedFor(5);
    starts.failed(POOL, "no");
    starts.succeeded(POOL, "warm-1");
    assertPausedFor(10);
    starts.failed(POOL, "no");
    assertPausedFor(5);
  }

  @Test
  void aPoolWhoseClassIsGoneIsForgotten() {
    starts.failed(POOL, "no");
    starts.failed(OTHER, "no");
    starts.forget(POOL::equals);
    assertThat(isPaused(POOL)).isFalse();
    assertThat(isPaused(OTHER)).isTrue();
  }

  @Test
  void podsThatFailTogetherAreOneFailure() {
    for (int pod = 0; pod < 4; pod++) {
      starts.failed(POOL, "no");
    }
    assertPausedFor(5);
    starts.failed(POOL, "no");
    assertPausedFor(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aRejectedPodIsFollowedByTheSamePauseEachTime(int times) {
    for (int time = 0; time < times; time++) {
      starts.rejected(POOL, "exceeded quota");
      assertPausedFor(10);
    }
  }

  @Test
  void otherPoolsAreNotPaused() {
    starts.failed(POOL, "no");
    starts.rejected(POOL, "no");
    assertThat(isPaused(OTHER)).isFalse();
  }

  @Test
  void theStartTimeIsMeasuredAndSmoothed() {
    assertThat(starts.time(POOL)).isEqualTo(Duration.ofSeconds(3));
    start("first", Duration.ofSeconds(1));
    assertThat(starts.time(POOL)).isEqualTo(Duration.ofSeconds(1));
    start("second", Duration.ofSeconds(5));
    assertThat(starts.time(POOL)).isEqualTo(Duration.ofSeconds(2));
    start("third", Duration.ofMinutes(9));
    assertThat(starts.time(POOL)).as("bounded").isEqualTo(Duration.ofMillis(16_500));
  }

  @Test
  void aPodOfAnotherLeaderTellsNothingOfTheStartTime() {
    starts.succeeded(POOL, "of-another");
    assertThat(starts.time(POOL)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aCreatedPodCountsUntilItIsListed() {
    starts.created("warm-1", "a");
    starts.created("warm-2", "a");
    starts.created("warm-3", "b");
    assertThat(starts.unlisted("a")).isEqualTo(2);
    starts.listed(List.of(named("warm-1"), named("run-1")));
    assertThat(starts.unlisted("a")).isEqualTo(1);
    assertThat(starts.unlisted("b")).isEqualTo(1);
  }

  @Test
  void aPodThatIsNeverListedCountsForAMinute() {
    starts.created("warm-1", "a");
    clock.advance(Duration.ofSeconds(59));
    starts.listed(List.of());
    assertThat(starts.unlisted("a")).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    starts.listed(List.of());
    assertThat(starts.unlisted("a")).isZero();
  }

  private boolean isPaused(PoolKey pool) {
    return !starts.mayStart(pool, "a");
  }

  private static Pod named(String name) {
    return new PodBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  private void start(String pod, Duration time) {
    starts.created(pod, "a");
    clock.advance(time);
    starts.succeeded(POOL, pod);
  }

  private void assertPausedFor(int seconds) {
    clock.advance(Duration.ofSeconds(seconds - 1));
    assertThat(isPaused(POOL)).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(isPaused(POOL)).isFalse();
  }
}
