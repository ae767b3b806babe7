package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PoolBackoffTest {
  private static final Duration FIRST = Duration.ofSeconds(30);
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  private final ManualClock clock = new ManualClock();
  private final PoolBackoff backoff = new PoolBackoff(FIRST, Duration.ofSeconds(100), FORGOTTEN);

  @Test
  void eachPauseIsTwiceAsLongAsTheOneBeforeUpToTheLongest() {
    for (int seconds : new int[] {30, 60, 100, 100}) {
      assertThat(begin()).isEqualTo(Duration.ofSeconds(seconds));
      assertPausedFor(Duration.ofSeconds(seconds));
    }
  }

  @Test
  void whatHappensDuringAPauseIsTheSameOccasionAndBeginsItAnew() {
    for (int few = 0; few < 10; few++) {
      begin();
      clock.advance(Duration.ofSeconds(2));
    }
    begin();
    assertPausedFor(FIRST);
    begin();
    assertPausedFor(FIRST.multipliedBy(2));
  }

  @Test
  void whatWasLongAgoIsForgotten() {
    begin();
    assertPausedFor(FIRST);
    clock.advance(FORGOTTEN);
    begin();
    assertPausedFor(FIRST);
  }

  @Test
  void afterASuccessThePauseGoesOnAndTheNextIsAFirstOne() {
    begin();
    assertPausedFor(FIRST);
    begin();
    backoff.succeeded();
    assertPausedFor(FIRST.multipliedBy(2));
    begin();
    assertPausedFor(FIRST);
  }

  @Test
  void noPauseIsShortenedByTheNext() {
    begin();
    assertPausedFor(FIRST);
    begin();
    backoff.succeeded();
    begin();
    assertPausedFor(FIRST.multipliedBy(2));
  }

  private Duration begin() {
    return backoff.begin(clock.instant());
  }

  private void assertPausedFor(Duration length) {
    clock.advance(length.minusMillis(1));
    assertThat(backoff.isPaused(clock.instant())).as("within %s", length).isTrue();
    clock.advance(Duration.ofMillis(1));
    assertThat(backoff.isPaused(clock.instant())).as("after %s", length).isFalse();
  }
}
