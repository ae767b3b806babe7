package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimings;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run in a list, from what the cache keeps of it. Its fields are those of the OpenAPI document.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunSummary(
    String name,
    RunPhase phase,
    @Nullable RunReason reason,
    Language language,
    @Nullable String dataset,
    @Nullable String runClass,
    @Nullable String caller,
    String createdAt,
    @Nullable String startedAt,
    @Nullable String finishedAt,
    @Nullable Long durationMs,
    @Nullable PayloadStarted payloadStarted) {

  /** A run, also one from the cache. */
  public static RunSummary of(AnalyticsRun run) {
    AnalyticsRunSpec spec = run.getSpec();
    AnalyticsRunStatus status = RunState.statusOf(run);
    RunTimings timings = status.timings() == null ? RunTimings.NONE : status.timings();
    List<String> datasets = spec.datasetNames();
    return new RunSummary(
        run.getMetadata().getName(),
        RunState.phaseOf(run),
        status.reason(),
        spec.language(),
        datasets.isEmpty() ? null : datasets.getFirst(),
        RunState.classOf(run),
        spec.caller(),
        run.getMetadata().getCreationTimestamp(),
        timings.started(),
        timings.finished(),
        millis(timings.started(), timings.finished()),
        status.payloadStarted());
  }

  /**
   * The milliseconds between two times of a run.
   *
   * @return null if one of them is missing or malformed
   */
  public static @Nullable Long millis(@Nullable String from, @Nullable String to) {
    if (from == null || to == null) {
      return null;
    }
    try {
      return Math.max(0, Duration.between(Instant.parse(from), Instant.parse(to)).toMillis());
    } catch (DateTimeException e) {
      return null;
    }
  }
}
