package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How many Pods may start at once, by how long they take. */
class StartLimitTest {
  private static final Duration ALONE = Duration.ofSeconds(2);
  private static final Duration SLOW = Duration.ofSeconds(5);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private StartLimit limit = StartLimit.NEW;

  @Test
  void itRisesWhileItIsReachedAndStartsTakeNoLonger() {
    int before = limit.count();
    for (int start = 0; start < 40; start++) {
      startsAtTheLimit(ALONE);
    }
    assertThat(limit.count()).isBetween(before + 4, before + 8);
    for (int start = 0; start < 2_000; start++) {
      startsAtTheLimit(ALONE);
    }
    assertThat(limit.count()).isEqualTo(StartLimit.MAX);
  }

  @Test
  void itStaysWhereNoMorePodsAreWanted() {
    for (int start = 0; start < 1_000; start++) {
      starts(ALONE);
    }
    assertThat(limit.count()).isEqualTo(StartLimit.MIN);
  }

  @Test
  void itIsHalvedOnceForThoseThatStartedTogether() {
    for (int start = 0; start < 2_000; start++) {
      startsAtTheLimit(ALONE);
    }
    now = now.plus(SLOW);
    for (int start = 0; start < 20; start++) {
      limit = limit.isReached(now).with(SLOW, now);
    }
    assertThat(limit.count()).isEqualTo(StartLimit.MAX / 2);
    now = now.plus(SLOW);
    limit = limit.with(SLOW, now);
    assertThat(limit.count()).isEqualTo(StartLimit.MAX / 4);
  }

  @Test
  void itIsNeverBelowItsLeast() {
    starts(ALONE);
    for (int start = 0; start < 20; start++) {
      startsAtTheLimit(SLOW);
    }
    assertThat(limit.count()).isEqualTo(StartLimit.MIN);
  }

  @Test
  void startsThatTakeLongerForGoodAreTheNewMeasure() {
    startsAtTheLimit(ALONE);
    for (int start = 0; start < 100; start++) {
      starts(SLOW);
    }
    for (int start = 0; start < 40; start++) {
      startsAtTheLimit(SLOW);
    }
    assertThat(limit.count()).isGreaterThan(StartLimit.MIN);
  }

  @Test
  void startsThatAreSlowBecauseTheyAreManyAreNoMeasure() {
    starts(ALONE);
    for (int start = 0; start < 1_000; start++) {
      startsAtTheLimit(SLOW);
    }
    assertThat(limit.count()).isEqualTo(StartLimit.MIN);
  }

  private void startsAtTheLimit(Duration took) {
    limit = limit.isReached(now);
    starts(took);
  }

  private void starts(Duration took) {
    now = now.plus(took);
    limit = limit.with(took, now);
  }
}
