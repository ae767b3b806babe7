package dev.assay.operator.run.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunTransitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunExcessTest {
  private static final int MAX_RUNS = 10;
  private static final Instant START = Instant.parse(Samples.CREATED);

  private final List<AnalyticsRun> runs = new ArrayList<>();
  private Instant now = START.plusSeconds(100).plus(RunExcess.KEPT);

  @Test
  void nothingGoesWhileThereIsRoom() {
    for (int i = 0; i < 9; i++) {
      ended("alice", i, 1000);
    }
    assertThat(excess()).isEmpty();
  }

  @Test
  void theOldestOfTheCallerThatHasMostGoFirst() {
    ended("bob", 0, 1000);
    ended("bob", 1, 1000);
    for (int i = 8; i > 1; i--) {
      ended("alice", i, 1000);
    }
    ended("bob", 9, 1000);
    ended("bob", 10, 1000);
    assertThat(excess()).containsExactly("alice-2", "alice-3");
  }

  @Test
  void bytesCountAsRunsOfTheAverageLength() {
    ended("alice", 0, 1000);
    ended("alice", 1, 1000);
    ended("alice", 2, 1000);
    ended("bob", 3, 5L * RunBytes.AVERAGE);
    ended("bob", 4, 5L * RunBytes.AVERAGE);
    assertThat(excess()).as("who has fewer, and more").containsExactly("bob-3");
  }

  @Test
  void runsThatHaveNotEndedStayAndCostNobodyElseTheirs() {
    for (int i = 0; i < 20; i++) {
      runs.add(run("alice", i, 1000));
    }
    ended("alice", 20, 1000);
    ended("bob", 21, 1000);
    assertThat(excess()).containsExactly("alice-20");
  }

  @Test
  void aResultIsKeptForAWhileForWhoWaitsForIt() {
    for (int i = 0; i < 10; i++) {
      ended("alice", i, 1000);
    }
    now = START.plus(RunExcess.KEPT).minusMillis(1);
    assertThat(excess()).isEmpty();
    now = START.plus(RunExcess.KEPT);
    assertThat(excess()).containsExactly("alice-0");
  }

  @Test
  void whatARunThatHasNotEndedTakesAsInputStays() {
    for (int i = 0; i < 9; i++) {
      ended("alice", i, 1000);
    }
    AnalyticsRun reader = run("alice", 9, 1000);
    reader.setSpec(
        reader.getSpec().withInputs(List.of(new RunInput("alice-0", "artifacts/a.csv", null))));
    runs.add(reader);
    assertThat(excess()).containsExactly("alice-1");
  }

  private List<String> excess() {
    return RunExcess.of(runs, MAX_RUNS, now).stream()
        .map(run -> run.getMetadata().getName())
        .toList();
  }

  /** A run that ended so many seconds after the start, and takes so many bytes. */
  private void ended(String caller, int second, long bytes) {
    AnalyticsRun run = run(caller, second, bytes);
    run.setStatus(
        RunTransitions.finished(
                run, Ending.notStarted(RunReason.Cancelled, "no"), null, START.plusSeconds(second))
            .orElseThrow());
    runs.add(run);
  }

  private static AnalyticsRun run(String caller, int number, long bytes) {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName(caller + "-" + number);
    run.getMetadata().setAnnotations(Map.of(RunBytes.ANNOTATION, Long.toString(bytes)));
    run.setSpec(run.getSpec().withCaller(caller));
    return run;
  }
}
