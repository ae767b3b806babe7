package dev.assay.operator.run;

import static dev.assay.operator.Samples.NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.queue.RunGauges;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunGaugesTest {
  private final ReconcilerFixture f = new ReconcilerFixture();

  @AfterEach
  void close() {
    f.close();
  }

  private void add(String name, String caller, AnalyticsRunStatus status) {
    AnalyticsRun run = Samples.run(Samples.run().getSpec().withCaller(caller), status);
    run.getMetadata().setName(name);
    run.getMetadata().setUid(name);
    run.getMetadata()
        .setCreationTimestamp(f.clock.instant().minus(Duration.ofSeconds(90)).toString());
    f.resources.cachedRuns.add(run);
  }

  private static AnalyticsRunStatus status(RunPhase phase, RunReason reason) {
    return AnalyticsRunStatus.EMPTY.with().phase(phase).reason(reason).build();
  }

  @Test
  void runsAreShownByPhaseAndThoseThatWaitByWhatTheyWaitFor() {
    add("new", "a", AnalyticsRunStatus.EMPTY);
    add("loading", "a", status(RunPhase.Pending, RunReason.DatasetNotReady));
    add("ended", "a", status(RunPhase.Succeeded, RunReason.Completed));
    f.showRuns();
    assertThat(f.metrics.text())
        .contains("assay_runs{namespace=\"" + NAMESPACE + "\",phase=\"Pending\"} 2.0\n")
        .contains("assay_runs{namespace=\"" + NAMESPACE + "\",phase=\"Succeeded\"} 1.0\n")
        .contains("assay_runs_waiting{gate=\"dataset\",namespace=\"" + NAMESPACE + "\"} 1.0\n")
        .contains("assay_runs_waiting{gate=\"pod\",namespace=\"" + NAMESPACE + "\"} 1.0\n")
        .contains("assay_runs_waiting{gate=\"slot\",namespace=\"" + NAMESPACE + "\"} 0.0\n")
        .contains("assay_runs_oldest_waiting_seconds{namespace=\"" + NAMESPACE + "\"} 90.0\n");
  }

  @Test
  void onlyTheCallersWithMostRunsAreShownByName() {
    for (int caller = 0; caller < RunGauges.CALLERS; caller++) {
      String name = "caller-" + caller;
      add(name + "-1", name, AnalyticsRunStatus.EMPTY);
      add(name + "-2", name, AnalyticsRunStatus.EMPTY);
    }
    for (int run = 0; run < 5; run++) {
      add("rare-" + run, "rare-" + run, AnalyticsRunStatus.EMPTY);
    }
    f.showRuns();
    assertThat(
            f.metrics
                .text()
                .lines()
                .filter(line -> line.startsWith("assay_runs_recent_by_caller{")))
        .hasSize(RunGauges.CALLERS + 1)
        .contains(
            "assay_runs_recent_by_caller{caller=\"caller-7\"} 2.0",
            "assay_runs_recent_by_caller{caller=\"other\"} 5.0");
  }
}
