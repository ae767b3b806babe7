package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When Pods are not started for the sake of runs. */
class RefillDeferralTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final RefillDeferral deferral = new RefillDeferral();

  @Test
  void aShortRunEndsBeforeItsPodIsReplaced() {
    assertThat(isNeededAt(0, "a")).isTrue();
    assertThat(isNeededAt(250, "a")).isTrue();
    assertThat(isNeededAt(400)).isFalse();
  }

  @Test
  void aLongRunHoldsUpNoPodAfterALimitedTime() {
    assertThat(isNeededAt(0, "a")).isTrue();
    assertThat(isNeededAt(499, "a")).isTrue();
    assertThat(isNeededAt(500, "a")).isFalse();
    assertThat(isNeededAt(60_000, "a")).isFalse();
  }

  @Test
  void aRunThatComesDuringALongOneIsWaitedFor() {
    assertThat(isNeededAt(0, "a")).isTrue();
    assertThat(isNeededAt(1_000, "a")).isFalse();
    assertThat(isNeededAt(1_250, "a", "b")).isTrue();
    assertThat(isNeededAt(1_500, "a")).isFalse();
  }

  @Test
  void runsThatComeWithoutAGapDoNotKeepThePoolsEmpty() {
    assertThat(isNeededAt(0, "a")).isTrue();
    assertThat(isNeededAt(250, "b")).isTrue();
    assertThat(isNeededAt(500, "c")).isFalse();
    assertThat(isNeededAt(750, "d")).isFalse();
    assertThat(isNeededAt(1_000)).isFalse();
    assertThat(isNeededAt(1_250, "e")).isTrue();
  }

  @Test
  void manyRunsAtOnceAreWaitedForLonger() {
    String[] burst = IntStream.range(0, 20).mapToObj(Integer::toString).toArray(String[]::new);
    assertThat(isNeededAt(0, burst)).isTrue();
    assertThat(isNeededAt(2_250, burst)).isTrue();
    assertThat(isNeededAt(2_400, burst)).isFalse();
    assertThat(isNeededAt(60_000, burst)).isFalse();
  }

  @Test
  void thoseOfABurstThatHaveEndedAreNotWaitedFor() {
    assertThat(isNeededAt(0, "a", "b", "c")).isTrue();
    assertThat(isNeededAt(650, "a", "b", "c")).isTrue();
    assertThat(isNeededAt(650, "a")).isFalse();
  }

  @Test
  void theLargestBurstHoldsUpPodsForALimitedTime() {
    String[] burst = IntStream.range(0, 500).mapToObj(Integer::toString).toArray(String[]::new);
    assertThat(isNeededAt(0, burst)).isTrue();
    assertThat(isNeededAt(2_999, burst)).isTrue();
    assertThat(isNeededAt(3_000, burst)).isFalse();
  }

  private boolean isNeededAt(int milliseconds, String... claimed) {
    return deferral.isNeeded(Set.of(claimed), BEGIN.plus(Duration.ofMillis(milliseconds)));
  }
}
