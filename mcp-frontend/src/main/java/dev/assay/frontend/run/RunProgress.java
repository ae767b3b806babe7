package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One line about a run that has not ended. */
final class RunProgress {
  private static final int MAX_MESSAGE = 300;

  private RunProgress() {}

  /** Such as {@code queued for 3 s (run run-abc): Waiting for room}. */
  static String line(AnalyticsRun run, Duration inPhase) {
    String line =
        word(RunState.phaseOf(run))
            + " for "
            + inPhase.toSeconds()
            + " s (run "
            + run.getMetadata().getName()
            + ")";
    @Nullable AnalyticsRunStatus status = run.getStatus();
    if (status == null || status.message() == null || RunState.phaseOf(run) == RunPhase.Running) {
      return line;
    }
    return line + ": " + Text.oneLine(status.message(), MAX_MESSAGE);
  }

  /** Whether there is nothing to tell of a newer state. */
  static boolean isTheSame(AnalyticsRun one, AnalyticsRun other) {
    return line(one, Duration.ZERO).equals(line(other, Duration.ZERO));
  }

  private static String word(RunPhase phase) {
    return switch (phase) {
      case Pending -> "queued";
      case Starting -> "starting";
      case Running -> "running";
      case Succeeded, Failed, TimedOut, Cancelled -> "ended";
      case Unknown -> "in a phase of a newer version";
    };
  }
}
