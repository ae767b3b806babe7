package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnlistedPodsTest {
  private final ManualClock clock = new ManualClock();
  private final UnlistedPods unlisted = new UnlistedPods(clock);

  @Test
  void aCreatedPodCountsUntilItIsListed() {
    unlisted.add("warm-1", "a");
    unlisted.add("warm-2", "a");
    unlisted.add("warm-3", "b");
    assertThat(unlisted.count("a")).isEqualTo(2);
    unlisted.remove(Set.of("warm-1", "run-1"));
    assertThat(unlisted.count("a")).isEqualTo(1);
    assertThat(unlisted.count("b")).isEqualTo(1);
  }

  @Test
  void aPodThatIsNeverListedCountsForAMinute() {
    unlisted.add("warm-1", "a");
    clock.advance(Duration.ofSeconds(59));
    unlisted.remove(Set.of());
    assertThat(unlisted.count("a")).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    unlisted.remove(Set.of());
    assertThat(unlisted.count("a")).isZero();
  }
}
