package dev.assay.operator.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausableDeadlineTest {
  private final ManualClock clock = new ManualClock();
  private final PausableDeadline deadline =
      new PausableDeadline(clock, clock.instant().plusSeconds(100));

  @Test
  void itPassesWhenItsTimeIsOver() {
    clock.advance(Duration.ofSeconds(99));
    assertThat(deadline.hasPassed()).isFalse();
    assertThat(deadline.left()).isEqualTo(Duration.ofSeconds(1));
    clock.advance(Duration.ofSeconds(1));
    assertThat(deadline.hasPassed()).isTrue();
  }

  @Test
  void aPauseDoesNotCount() {
    clock.advance(Duration.ofSeconds(50));
    deadline.pause();
    clock.advance(Duration.ofHours(1));
    deadline.pause();
    assertThat(deadline.hasPassed()).isFalse();
    assertThat(deadline.left()).isPositive();
    deadline.resume();
    assertThat(deadline.left()).isEqualTo(Duration.ofSeconds(50));
  }

  @Test
  void aPauseAtTheLastMomentLeavesTimeToHearWhatWasHeldBack() {
    clock.advance(Duration.ofSeconds(99));
    deadline.pause();
    clock.advance(Duration.ofHours(1));
    deadline.pause();
    deadline.resume();
    assertThat(deadline.left()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void eventsThatAreHandledNeverPutItOff() {
    for (int second = 0; second < 100; second++) {
      clock.advance(Duration.ofMillis(999));
      deadline.pause();
      clock.advance(Duration.ofMillis(1));
      deadline.resume();
    }
    assertThat(deadline.left()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void noTimeIsWonWithoutAPause() {
    clock.advance(Duration.ofSeconds(99));
    deadline.pause();
    deadline.resume();
    deadline.resume();
    assertThat(deadline.left()).isEqualTo(Duration.ofSeconds(1));
  }
}
