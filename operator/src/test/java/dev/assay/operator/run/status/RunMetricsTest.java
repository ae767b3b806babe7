package dev.assay.operator.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.operator.Samples;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunMetricsTest {
  private static final RunTimings TIMES =
      new RunTimings(
          "2026-01-01T00:00:00.200Z",
          "2026-01-01T00:00:00Z",
          "2026-01-01T00:00:02Z",
          "2026-01-01T00:00:02.100Z",
          "2026-01-01T00:00:02.300Z",
          "2026-01-01T00:00:10.200Z");

  private final ProgramMetrics program = ProgramMetrics.create();
  private final RunMetrics metrics = new RunMetrics(program);

  private static AnalyticsRun run(AnalyticsRunStatus status) {
    return Samples.run(Samples.run().getSpec(), status);
  }

  private static AnalyticsRunStatus bound(boolean warm) {
    BoundPod pod = BoundPodBuilder.builder().name("pod").uid("u").warm(warm).nonce("n").build();
    return AnalyticsRunStatus.EMPTY
        .with()
        .phase(RunPhase.Starting)
        .className("python")
        .pod(pod)
        .build();
  }

  private static AnalyticsRunStatus ended(boolean warm) {
    return bound(warm)
        .with()
        .phase(RunPhase.Succeeded)
        .reason(RunReason.Completed)
        .timings(TIMES)
        .build();
  }

  @Test
  void aRunIsCountedWhenItIsBoundAndWhenItEnds() {
    AnalyticsRun waiting = run(AnalyticsRunStatus.EMPTY);
    metrics.written(waiting, run(bound(true)));
    metrics.written(run(bound(true)), run(ended(true)));
    metrics.written(run(ended(true)), run(ended(true)));
    String namespace = waiting.getMetadata().getNamespace();
    assertThat(program.text())
        .contains(
            "assay_runs_bound_total{class=\"python\",namespace=\"%s\",start=\"warm\"} 1.0\n"
                .formatted(namespace))
        .contains(
            "assay_runs_ended_total{class=\"python\",namespace=\"%s\",reason=\"Completed\"} 1.0\n"
                .formatted(namespace))
        .contains(
            "assay_run_stage_seconds_bucket{class=\"python\",stage=\"run_code\",le=\"35.0\"} 1\n")
        .doesNotContain("create_pod");
  }

  @Test
  void aRefusedRunHasNoClassWhateverItsSpecNames() {
    metrics.written(
        run(AnalyticsRunStatus.EMPTY),
        run(
            AnalyticsRunStatus.EMPTY
                .with()
                .phase(RunPhase.Failed)
                .reason(RunReason.ClassNotAllowed)
                .build()));
    assertThat(program.text())
        .contains("assay_runs_ended_total{class=\"\",")
        .contains("reason=\"ClassNotAllowed\"} 1.0\n")
        .doesNotContain("assay_run_stage_seconds_count");
  }

  @Test
  void theStagesOfAColdRunAddUpAndClocksThatDifferMakeNoneNegative() {
    assertThat(RunStage.of(ended(false)))
        .isEqualTo(
            Map.of(
                RunStage.CREATE_POD, Duration.ZERO,
                RunStage.START_POD, Duration.ofSeconds(2),
                RunStage.BIND, Duration.ofMillis(100),
                RunStage.START_CODE, Duration.ofMillis(200),
                RunStage.RUN_CODE, Duration.ofMillis(7900),
                RunStage.ALL, Duration.ofSeconds(10)));
  }

  @Test
  void aWarmRunIsBoundSinceTheOperatorSawIt() {
    assertThat(RunStage.of(ended(true)))
        .containsEntry(RunStage.BIND, Duration.ofMillis(1900))
        .doesNotContainKeys(RunStage.CREATE_POD, RunStage.START_POD);
  }

  @Test
  void timesThatCannotBeReadAreNotCounted() {
    AnalyticsRunStatus edited = ended(true).withTimings(TIMES.withBound("yesterday"));
    assertThat(RunStage.of(edited)).isEmpty();
  }
}
