package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunExcessTest {
  private static final int MAX_RUNS = 10;
  private static final Instant START = Instant.parse(Samples.CREATED);

  private final List<AnalyticsRun> runs = new ArrayList<>();

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
  void runsThatHaveNotEndedStay() {
    for (int i = 0; i < 20; i++) {
      runs.add(run("alice", i, 1000));
    }
    ended("bob", 20, 1000);
    assertThat(excess()).as("all that can go").containsExactly("bob-20");
  }

  private List<String> excess() {
    return RunExcess.of(runs, MAX_RUNS).stream().map(run -> run.getMetadata().getName()).toList();
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
