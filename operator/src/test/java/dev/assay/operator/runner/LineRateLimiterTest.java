package dev.assay.operator.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LineRateLimiterTest {
  private static final long WINDOW = Duration.ofMillis(100).toNanos();

  private long now = 5;
  private long waited;
  private final LineRateLimiter limiter =
      new LineRateLimiter(
          3,
          Duration.ofNanos(WINDOW),
          () -> now,
          nanos -> {
            waited += nanos;
            now += nanos;
          });

  @Test
  void nobodyWaitsWhileThereIsRoom() {
    pass(3);
    now += WINDOW;
    pass(3);
    assertThat(waited).isZero();
  }

  @Test
  void whoComesOnTopWaitsForTheNextWindowAndPasses() {
    pass(3);
    now += 40;
    pass(1);
    assertThat(waited).isEqualTo(WINDOW - 40);
    pass(2);
    assertThat(waited).isEqualTo(WINDOW - 40);
    pass(3);
    assertThat(waited).isEqualTo(2 * WINDOW - 40);
  }

  @Test
  void anInterruptIsNotSleptThrough() {
    pass(3);
    Thread.currentThread().interrupt();
    pass(1);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(waited).isZero();
  }

  private void pass(int times) {
    for (int i = 0; i < times; i++) {
      limiter.pass();
    }
  }
}
