package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long what no answer needs waits for answers. */
class AwaitedAnswersTest {
  private static final Duration SHORT_RUN = Duration.ofSeconds(2);

  private final ManualClock clock = new ManualClock();
  private final AwaitedAnswers answers =
      new AwaitedAnswers(clock, SHORT_RUN, (changed, time) -> clock.advance(time));

  @Test
  void nothingWaitsWithoutRuns() throws Exception {
    assertThat(waited()).isZero();
  }

  @Test
  void aRunIsAwaitedUntilItsCallerIsAnswered() throws Exception {
    answers.begin("a");
    clock.advance(Duration.ofMillis(1_500));
    answers.end("a");
    clock.advance(Duration.ofMillis(100));
    answers.end("a");
    assertThat(waited()).isEqualTo(Duration.ofMillis(200));
    assertThat(answers.areAwaited()).isFalse();
  }

  @Test
  void aRunDoesNotWaitForItsOwnAnswer() throws Exception {
    answers.begin("a");
    answers.end("a");
    Instant since = clock.instant();
    answers.awaitOthers("a");
    assertThat(clock.instant()).isEqualTo(since);
    answers.begin("b");
    answers.end("b");
    answers.awaitOthers("a");
    assertThat(clock.instant()).isEqualTo(since.plus(AwaitedAnswers.UNTIL_ANSWERED));
  }

  @Test
  void eachWaitIsLimited() throws Exception {
    answers.begin("a");
    assertThat(waited()).isEqualTo(Duration.ofMillis(500));
    assertThat(waited()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void aBurstOfLongAgoMakesNoLaterWaitLonger() throws Exception {
    for (int run = 0; run < 20; run++) {
      answers.begin("burst-" + run);
    }
    assertThat(waited()).isEqualTo(AwaitedAnswers.MAX_LIMIT);
    // One after the other, so that there is always one.
    for (int run = 0; run < 5; run++) {
      answers.begin("later-" + run);
      clock.advance(Duration.ofMillis(1_500));
    }
    answers.begin("last");
    assertThat(waited()).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aLongRunIsNotAwaited() throws Exception {
    answers.begin("a");
    clock.advance(SHORT_RUN);
    assertThat(answers.areAwaited()).isFalse();
    assertThat(waited()).isZero();
    answers.end("a");
    assertThat(waited()).isZero();
  }

  @Test
  void manyRunsAtOnceAreAwaitedForLonger() throws Exception {
    begin(11);
    assertThat(waited()).isEqualTo(Duration.ofSeconds(3));
    assertThat(waited()).isZero();
  }

  @Test
  void theLargestBurstHoldsUpOthersForALimitedTime() throws Exception {
    begin(500);
    assertThat(waited()).isEqualTo(Duration.ofSeconds(5));
    assertThat(waited()).isZero();
  }

  @Test
  void theLastAnswersOfABurstAreAwaitedAsThoseBefore() throws Exception {
    begin(11);
    IntStream.range(1, 11).forEach(number -> answers.end("run-" + number));
    clock.advance(SHORT_RUN);
    assertThat(waited()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aRunAfterABurstIsAwaitedAsOneAlone() throws Exception {
    begin(11);
    clock.advance(AwaitedAnswers.MAX_LIMIT);
    answers.begin("a");
    assertThat(waited()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  @Timeout(30)
  @SuppressWarnings("WaitNotInLoop") // It is called in one.
  void theEndOfARunIsNoticedByWhoWaits() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    AwaitedAnswers watched =
        new AwaitedAnswers(
            clock,
            SHORT_RUN,
            (changed, time) -> {
              waits.countDown();
              // Longer than the test may take: it fails unless this is notified.
              changed.wait(Duration.ofMinutes(1).toMillis());
              clock.advance(AwaitedAnswers.UNTIL_ANSWERED);
            });
    watched.begin("a");
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    watched.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    waits.await();
    watched.end("a");
    waiting.join();
    assertThat(watched.areAwaited()).isFalse();
  }

  private void begin(int runs) {
    IntStream.range(0, runs).forEach(number -> answers.begin("run-" + number));
  }

  private Duration waited() throws InterruptedException {
    Instant since = clock.instant();
    answers.await();
    return Duration.between(since, clock.instant());
  }
}
