package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StartAttemptsTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualClock clock = new ManualClock();
  private final StartAttempts attempts = new StartAttempts(clock);

  @Test
  void eachAttemptWaitsLongerThanTheOneBeforeAndTheyAreBounded() {
    assertThat(attempts.failed("a", "1", LONG)).hasValue(Duration.ofSeconds(5));
    assertThat(attempts.failed("a", "2", LONG)).hasValue(Duration.ofSeconds(15));
    assertThat(attempts.failed("a", "3", LONG)).hasValue(Duration.ofSeconds(45));
    assertThat(attempts.failed("a", "4", LONG)).isEmpty();
    assertThat(attempts.failed("b", "5", LONG)).as("another one's count").isPresent();
  }

  @Test
  void aPodThatIsSeenAgainCountsOnce() {
    for (int i = 0; i < 5; i++) {
      assertThat(attempts.failed("a", "1", LONG)).hasValue(Duration.ofSeconds(5));
    }
    assertThat(attempts.count("a")).isEqualTo(1);
  }

  @Test
  void theBackoffRunsOut() {
    assertThat(attempts.backoff("a")).isZero();
    attempts.failed("a", "1", LONG);
    clock.advance(Duration.ofSeconds(2));
    assertThat(attempts.backoff("a")).isEqualTo(Duration.ofSeconds(3));
    clock.advance(Duration.ofSeconds(3));
    assertThat(attempts.backoff("a")).isZero();
  }

  @Test
  void nothingIsTriedPastTheDeadline() {
    assertThat(attempts.failed("a", "1", Duration.ofSeconds(5))).isEmpty();
  }

  @Test
  void whatHasEndedCountsFromTheBeginning() {
    attempts.failed("a", "1", LONG);
    assertThat(attempts.count("a")).isEqualTo(1);
    attempts.forget("a");
    assertThat(attempts.count("a")).isZero();
    assertThat(attempts.backoff("a")).isZero();
  }
}
