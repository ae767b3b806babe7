package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefillHoldTest {
  private static final String TEAM = "team-a";

  private final ManualClock clock = new ManualClock();
  private final RefillHold hold = new RefillHold();

  @Test
  void aNamespaceWhosePoolsGaveWayAgainAndAgainIsHeldLongerUpToTwoMinutes() {
    for (int seconds : new int[] {30, 60, 120, 120}) {
      gaveWay();
      assertHeldFor(Duration.ofSeconds(seconds));
    }
  }

  @Test
  void podsThatGiveWayOnOneOccasionHoldAsLongAfterTheLastOfThem() {
    for (int few = 0; few < 10; few++) {
      gaveWay();
      clock.advance(Duration.ofSeconds(2));
    }
    gaveWay();
    assertHeldFor(RefillHold.FIRST);
    gaveWay();
    assertHeldFor(RefillHold.FIRST.multipliedBy(2));
  }

  @Test
  void whatWasLongAgoIsForgotten() {
    gaveWay();
    assertHeldFor(RefillHold.FIRST);
    clock.advance(RefillHold.FORGOTTEN);
    gaveWay();
    assertHeldFor(RefillHold.FIRST);
  }

  @Test
  void otherNamespacesAreNotHeld() {
    gaveWay();
    assertThat(hold.isNeeded("team-b", clock.instant())).isFalse();
  }

  private void gaveWay() {
    hold.gaveWay(TEAM, clock.instant());
  }

  private void assertHeldFor(Duration length) {
    clock.advance(length.minusMillis(1));
    assertThat(hold.isNeeded(TEAM, clock.instant())).as("within %s", length).isTrue();
    clock.advance(Duration.ofMillis(1));
    assertThat(hold.isNeeded(TEAM, clock.instant())).as("after %s", length).isFalse();
  }
}
