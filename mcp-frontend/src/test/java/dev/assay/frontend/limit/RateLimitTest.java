package dev.assay.frontend.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
  private final RateLimit<String> limit = new RateLimit<>(10, 3, now::get);

  @Test
  void aBurstIsAllowedAndThenTheRate() {
    assertThat(take("alice", 5)).isEqualTo(3);

    pass(Duration.ofMillis(100));

    assertThat(take("alice", 5)).isEqualTo(1);
  }

  @Test
  void whoWasQuietForLongMayTakeABurstAndNoMore() {
    take("alice", 3);
    pass(Duration.ofHours(1));

    assertThat(take("alice", 100)).isEqualTo(3);
  }

  @Test
  void eachHasALimitOfItsOwn() {
    take("alice", 100);

    assertThat(take("bob", 5)).isEqualTo(3);
  }

  private int take(String who, int times) {
    int taken = 0;
    for (int i = 0; i < times; i++) {
      taken += limit.take(who) ? 1 : 0;
    }
    return taken;
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
