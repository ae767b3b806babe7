package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CleanupHistoryTest {
  private static final Instant FIRST = Instant.parse("2026-11-01T10:00:00Z");
  private static final Instant SECOND = FIRST.plusSeconds(3600);
  private static final Instant THIRD = SECOND.plusSeconds(3600);
  private static final Duration MIN_AGE = Duration.ofHours(1);

  @Test
  void withoutASweepOneIsDue() {
    CleanupHistory begun = CleanupHistory.begin(paths("a"), FIRST);
    assertThat(begun.isDue(MIN_AGE)).isTrue();
    assertThat(begun.observed(paths("a"), THIRD).isDue(MIN_AGE)).isTrue();
  }

  @Test
  void whatTheLastChangeLeftBehindIsSweptOnceItIsOldEnough() {
    CleanupHistory swept =
        CleanupHistory.begin(paths("a"), FIRST).observed(paths("b"), SECOND).sweptAt(SECOND);
    assertThat(swept.observed(paths("b"), THIRD).isDue(MIN_AGE)).isTrue();
    assertThat(swept.sweptAt(THIRD.minusSeconds(1)).isDue(MIN_AGE)).isTrue();
  }

  @Test
  void withoutAChangeSinceThenThereIsNothingToSweep() {
    CleanupHistory swept = CleanupHistory.begin(paths("a"), FIRST).sweptAt(SECOND);
    assertThat(swept.isDue(MIN_AGE)).isFalse();
    assertThat(swept.observed(paths("a"), THIRD).isDue(MIN_AGE)).isFalse();
    assertThat(swept.observed(paths("a", "b"), THIRD).isDue(MIN_AGE)).isTrue();
    assertThat(swept.observed(paths(), THIRD).isDue(MIN_AGE)).isTrue();
  }

  @Test
  void whatWasInUseAtTheLastLookCountsStill() {
    CleanupHistory begun = CleanupHistory.begin(paths("a", "b"), FIRST);
    assertThat(begun.inUseOrFound(paths("b", "c"))).containsExactly("a", "b", "c");
    assertThat(begun.observed(paths("b", "c"), SECOND).inUseOrFound(paths("c")))
        .containsExactly("b", "c");
  }

  private static SortedSet<String> paths(String... paths) {
    return new TreeSet<>(List.of(paths));
  }
}
