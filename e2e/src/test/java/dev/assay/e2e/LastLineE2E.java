package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nothing received is lost: a run prints a numbered line with its time every millisecond until it
 * is stopped from outside, and its output is kept up to that moment.
 */
@Full
class LastLineE2E {
  private static final Logger LOG = LoggerFactory.getLogger(LastLineE2E.class);
  private static final String CLASS = "e2e-last-line";

  /** Between the last line kept and the end: the scheduling of a busy machine. */
  private static final Duration CLOSE = Duration.ofMillis(1500);

  private static final String PRINTING =
      """
      import time
      i = 0
      while True:
          print(i, int(time.time() * 1000), flush=True)
          i += 1
          time.sleep(0.001)
      """;

  private static final String PRINTING_UNTIL_OUT_OF_MEMORY =
      """
      import time
      for i in range(2000):
          print(i, int(time.time() * 1000), flush=True)
          time.sleep(0.001)
      held = []
      while True:
          held.append(bytearray(16 * 1024 * 1024))
      """;

  private final Runs runs;

  LastLineE2E(Assay assay) {
    this.runs = new Runs(assay);
  }

  @BeforeAll
  static void makeClass(Assay assay) {
    Classes.likePython(assay, CLASS, spec -> {});
  }

  @AfterAll
  static void removeClass(Assay assay) {
    Classes.remove(assay, CLASS);
  }

  @Test
  void aRunThatTheKernelKillsForMemoryKeepsEveryLine() {
    AnalyticsRunStatus ended = runs.awaitEnd(runs.create(CLASS, PRINTING_UNTIL_OUT_OF_MEMORY, 60));
    assertThat(ended.reason()).isEqualTo(RunReason.MemoryExceeded);
    assertThat(lastLine(ended)[0]).isEqualTo(1999);
    assertWhole(ended);
    report("killed for memory", ended, null);
  }

  @Test
  void aRunThatReachesItsDeadlineKeepsEveryLineUntilThen() {
    AnalyticsRunStatus ended = runs.awaitEnd(runs.create(CLASS, PRINTING, 3));
    assertThat(ended.reason()).isEqualTo(RunReason.DeadlineExceeded);
    assertWhole(ended);
    long printed = lastLine(ended)[1] - firstLine(ended)[1];
    assertThat(printed).isBetween(3000 - CLOSE.toMillis(), 3000 + CLOSE.toMillis());
    report("deadline of 3 s", ended, null);
  }

  @Test
  void aRunThatIsCancelledKeepsEveryLineUntilThen() {
    AnalyticsRun run = runs.create(CLASS, PRINTING, 60);
    runs.awaitRunning(run);
    Instant asked = Instant.now();
    runs.cancel(run);
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.reason()).isEqualTo(RunReason.Cancelled);
    assertWhole(ended);
    assertThat(lastLine(ended)[1]).isGreaterThanOrEqualTo(asked.toEpochMilli());
    report("cancelled", ended, asked);
  }

  @Test
  void aRunWhosePodIsDeletedKeepsEveryLineUntilThen(Assay assay) {
    AnalyticsRun run = runs.create(CLASS, PRINTING, 60);
    AnalyticsRunStatus running = runs.awaitRunning(run);
    Instant asked = Instant.now();
    assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withName(Objects.requireNonNull(running.pod()).name())
        .delete();
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.reason()).isEqualTo(RunReason.PodLost);
    assertWhole(ended);
    assertThat(lastLine(ended)[1]).isGreaterThanOrEqualTo(asked.toEpochMilli());
    report("Pod deleted", ended, asked);
  }

  /** All received output is stored, without truncation. */
  private static void assertWhole(AnalyticsRunStatus ended) {
    RunResult result = Objects.requireNonNull(ended.result());
    assertThat(result.truncated()).isFalse();
    assertThat(result.storedBytes()).isEqualTo(result.outputBytes());
    assertThat(firstLine(ended)[0]).isZero();
  }

  private static void report(String how, AnalyticsRunStatus ended, @Nullable Instant asked) {
    long[] last = lastLine(ended);
    LOG.info(
        "{}: last line kept {}, {} ms after the first{}",
        how,
        last[0],
        last[1] - firstLine(ended)[1],
        asked == null
            ? ""
            : ", " + (last[1] - asked.toEpochMilli()) + " ms after it was asked for");
  }

  private static long[] firstLine(AnalyticsRunStatus ended) {
    return numbers(Runs.output(ended).lines().findFirst().orElseThrow());
  }

  private static long[] lastLine(AnalyticsRunStatus ended) {
    RunResult result = Objects.requireNonNull(ended.result());
    String end = result.outputTail() == null ? result.output() : result.outputTail();
    List<String> lines = Objects.requireNonNull(end).lines().toList();
    assertThat(end).as("the last line is a whole one").endsWith("\n");
    return numbers(lines.getLast());
  }

  private static long[] numbers(String line) {
    int space = line.indexOf(' ');
    return new long[] {
      Long.parseLong(line.substring(0, space)), Long.parseLong(line.substring(space + 1))
    };
  }
}
