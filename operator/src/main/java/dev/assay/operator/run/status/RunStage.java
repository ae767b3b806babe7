package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunTimings;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The stages of a run that has ended, from the times in its status. */
enum RunStage {
  /** Until its Pod was created; a run in a warm Pod has none. */
  CREATE_POD,
  /** From then until Kubernetes reported the Pod as running; a run in a warm Pod has none. */
  START_POD,
  /** From then until the run was bound to it; in a warm Pod since the operator saw the run. */
  BIND,
  /** From then until the first instruction of the code. */
  START_CODE,
  /** From then until the end was written. */
  RUN_CODE,
  /** Since the operator saw the run. */
  ALL;

  /** As a label. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The stages that a run has been through; none where its times cannot be read. */
  static Map<RunStage, Duration> of(AnalyticsRunStatus status) {
    RunTimings times = status.timings() == null ? RunTimings.NONE : status.timings();
    BoundPod pod = status.pod();
    boolean isWarm = pod != null && pod.warm();
    Map<RunStage, Duration> stages = new EnumMap<>(RunStage.class);
    try {
      @Nullable Instant queued = instant(times.queued());
      @Nullable Instant created = instant(times.podCreated());
      @Nullable Instant running = instant(times.podRunning());
      @Nullable Instant bound = instant(times.bound());
      @Nullable Instant started = instant(times.started());
      @Nullable Instant finished = instant(times.finished());
      if (!isWarm) {
        put(stages, CREATE_POD, queued, created);
        put(stages, START_POD, created, running);
      }
      put(stages, BIND, isWarm ? queued : running, bound);
      put(stages, START_CODE, bound, started);
      put(stages, RUN_CODE, started, finished);
      put(stages, ALL, queued, finished);
      return stages;
    } catch (DateTimeParseException e) {
      return Map.of();
    }
  }

  /** Clocks differ, and Kubernetes has whole seconds. */
  private static void put(
      Map<RunStage, Duration> stages,
      RunStage stage,
      @Nullable Instant from,
      @Nullable Instant to) {
    if (from != null && to != null) {
      Duration took = Duration.between(from, to);
      stages.put(stage, took.isNegative() ? Duration.ZERO : took);
    }
  }

  private static @Nullable Instant instant(@Nullable String text) {
    return text == null ? null : Instant.parse(text);
  }
}
