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
    assertThat(begun.looked(paths("a"), THIRD).isDue(MIN_AGE)).isTrue();
  }

  @Test
  void whatTheLastChangeLeftBehindIsSweptOnceItIsOldEnough() {
    CleanupHistory swept =
        CleanupHistory.begin(paths("a"), FIRST).looked(paths("b"), SECOND).sweptAt(SECOND);
    assertThat(swept.looked(paths("b"), THIRD).isDue(MIN_AGE)).isTrue();
    assertThat(swept.sweptAt(THIRD.minusSeconds(1)).isDue(MIN_AGE)).isTrue();
  }

  @Test
  void withoutAChangeSinceThenThereIsNothingToSweep() {
    CleanupHistory swept = CleanupHistory.begin(paths("a"), FIRST).sweptAt(SECOND);
    assertThat(swept.isDue(MIN_AGE)).isFalse();
    assertThat(swept.looked(paths("a"), THIRD).isDue(MIN_AGE)).isFalse();
    assertThat(swept.looked(paths("a", "b"), THIRD).isDue(MIN_AGE)).isTrue();
    assertThat(swept.looked(paths(), THIRD).isDue(MIN_AGE)).isTrue();
  }

  @Test
  void whatWasInUseAtTheLastLookCountsStill() {
    CleanupHistory begun = CleanupHistory.begin(paths("a", "b"), FIRST);
    assertThat(begun.inUseAlso(paths("b", "c"))).containsExactly("a", "b", "c");
    assertThat(begun.looked(paths("b", "c"), SECOND).inUseAlso(paths("c")))
        .containsExactly("b", "c");
  }

  private static SortedSet<String> paths(String... paths) {
    return new TreeSet<>(List.of(paths));
  }
}
