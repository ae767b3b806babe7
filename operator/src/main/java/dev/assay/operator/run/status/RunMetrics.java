package dev.assay.operator.run.status;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Counts what the statuses of runs become, as they are written: the one place that sees all. */
public final class RunMetrics {
  /** The class of a run that was given none: what its spec names may not exist. */
  static final String NO_CLASS = "";

  private final MeterProvider<Counter> ended;
  private final MeterProvider<Counter> bound;
  private final MeterProvider<Timer> stages;

  public RunMetrics(ProgramMetrics metrics) {
    this.ended =
        Counter.builder("assay_runs_ended_total")
            .description("Runs that have ended, by reason.")
            .withRegistry(metrics.registry());
    this.bound =
        Counter.builder("assay_runs_bound_total")
            .description(
                "Bindings of runs to a warm Pod, or to a cold one; a run that is given back has several.")
            .withRegistry(metrics.registry());
    this.stages =
        Timer.builder("assay_run_stage_seconds")
            .description("Time of the stages of runs that have ended.")
            .serviceLevelObjectives(
                Duration.ofMillis(50),
                Duration.ofMillis(250),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ofSeconds(35),
                Duration.ofMinutes(5),
                Duration.ofMinutes(10))
            .withRegistry(metrics.registry());
  }

  /** A status was written. */
  public void written(AnalyticsRun before, AnalyticsRun after) {
    AnalyticsRunStatus status = RunState.statusOf(after);
    String namespace = after.getMetadata().getNamespace();
    String className = status.className() == null ? NO_CLASS : status.className();
    BoundPod pod = status.pod();
    if (pod != null && !RunState.isBound(before)) {
      bound
          .withTags(
              "namespace", namespace, "class", className, "start", pod.warm() ? "warm" : "cold")
          .increment();
    }
    if (RunState.isFinal(after) && !RunState.isFinal(before)) {
      ended
          .withTags(
              "namespace", namespace, "class", className, "reason", String.valueOf(status.reason()))
          .increment();
      RunStage.of(status)
          .forEach(
              (stage, took) ->
                  stages.withTags("class", className, "stage", stage.label()).record(took));
    }
  }
}
