package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunSummary;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.run.ToolUse;
import org.jspecify.annotations.Nullable;

/** The results of runs of scripts (pure). */
final class ScriptResults {
  /** The words that callers of such tools look for. */
  static final String TIMED_OUT = "JavaScript execution timed out";

  private static final int MAX_MESSAGE = 4_096;

  private ScriptResults() {}

  /**
   * Of a run that has ended.
   *
   * @param value what it returned
   */
  static ScriptResult of(AnalyticsRun run, RunValues.Stored value) {
    if (RunState.phaseOf(run) != RunPhase.Succeeded) {
      return failed(run, failure(run));
    }
    return switch (value) {
      case RunValues.Found found -> succeeded(run, Text.jsonLine(found.json()));
      case RunValues.None none -> succeeded(run, "null");
      case RunValues.Unavailable unavailable ->
          failed(run, executionFailed(run, "the script has ended, and " + unavailable.why()));
    };
  }

  /**
   * Of a wait that was broken off.
   *
   * @throws IllegalArgumentException where the run has ended, or goes on as its caller wanted
   */
  static ScriptResult of(RunOutcome outcome) {
    AnalyticsRun run = outcome.run();
    String name = run.getMetadata().getName();
    return failed(
        run,
        switch (outcome) {
          case RunOutcome.Ended ended ->
              throw new IllegalArgumentException("the run has ended: " + name);
          case RunOutcome.NotWanted notWanted ->
              new ScriptResult.Failure(
                  ScriptErrorCode.CANCELLED, "the run " + name + " is being stopped on request");
          case RunOutcome.Deleted deleted ->
              executionFailed(run, "the run " + name + " was deleted");
          case RunOutcome.Overdue overdue ->
              executionFailed(
                  run,
                  "the run "
                      + name
                      + " has not ended within all of its limits; it is being stopped");
          case RunOutcome.InProgress inProgress ->
              throw new IllegalArgumentException("the run has not ended: " + name);
          case RunOutcome.Abandoned abandoned ->
              new ScriptResult.Failure(
                  ScriptErrorCode.EXECUTION_FAILED,
                  "the connection was lost; the run "
                      + name
                      + " continues, and get_run shows its end");
        });
  }

  /** Of a run that goes on, for which its caller waits no longer. */
  static ScriptResult inProgress(AnalyticsRun run, long waitedSeconds) {
    return failed(
        run,
        new ScriptResult.Failure(
            ScriptErrorCode.IN_PROGRESS,
            RunReply.continues(
                run, waitedSeconds, RunReply.WAIT, "waits for its end and shows its value")));
  }

  private static ScriptResult succeeded(AnalyticsRun run, String json) {
    return of(run, json, null);
  }

  private static ScriptResult failed(AnalyticsRun run, ScriptResult.Failure failure) {
    return of(run, null, failure);
  }

  private static ScriptResult of(
      AnalyticsRun run, @Nullable String json, ScriptResult.@Nullable Failure failure) {
    return new ScriptResult(
        failure == null,
        json,
        failure,
        ScriptLogs.of(run),
        run.getMetadata().getName(),
        stats(run),
        ToolUse.isPossible(run));
  }

  private static ScriptResult.Failure failure(AnalyticsRun run) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    return switch (RunState.phaseOf(run)) {
      case TimedOut -> new ScriptResult.Failure(ScriptErrorCode.TIMEOUT, TIMED_OUT);
      case Cancelled ->
          new ScriptResult.Failure(
              ScriptErrorCode.CANCELLED, message(status, "the script was stopped on request"));
      case Failed -> failed(run, status);
      case Pending, Starting, Running, Succeeded, Unknown ->
          throw new IllegalArgumentException(
              "the run has not failed: " + run.getMetadata().getName());
    };
  }

  private static ScriptResult.Failure failed(AnalyticsRun run, AnalyticsRunStatus status) {
    @Nullable RunReason reason = status.reason();
    @Nullable RunError error = status.result() == null ? null : status.result().error();
    if (reason == RunReason.CodeError && error != null && error.code() != null) {
      return new ScriptResult.Failure(
          ScriptErrorCode.reported(error.code()).orElse(ScriptErrorCode.RUNTIME_ERROR),
          Text.clean(error.message()),
          error.traceback() == null ? null : Text.clean(error.traceback()).stripTrailing(),
          error.line(),
          error.column(),
          null);
    }
    if (reason == RunReason.MemoryExceeded) {
      return new ScriptResult.Failure(
          ScriptErrorCode.MEMORY_EXCEEDED,
          message(status, "the script exceeded the memory limit of its class"));
    }
    return executionFailed(run, message(status, "the run failed"));
  }

  private static ScriptResult.Failure executionFailed(AnalyticsRun run, String why) {
    @Nullable PayloadStarted known = RunState.statusOf(run).payloadStarted();
    PayloadStarted started = known == null ? PayloadStarted.Unknown : known;
    return new ScriptResult.Failure(
        ScriptErrorCode.EXECUTION_FAILED,
        why + advice(started, RunState.statusOf(run).reason()) + sent(toolCalls(run).sent()),
        null,
        null,
        null,
        started);
  }

  private static String advice(PayloadStarted started, @Nullable RunReason reason) {
    return switch (started) {
      case No ->
          reason == RunReason.InvalidSpec || reason == RunReason.ClassNotAllowed
              ? ". The script was not started, and the same call will fail in the same way."
              : ". The script was not started: retrying is safe.";
      case Yes -> ". The script was started. Assay does not retry it.";
      case Unknown -> ". It is unknown whether the script was started. Assay does not retry it.";
    };
  }

  private static String sent(int calls) {
    return calls == 0
        ? ""
        : " It had sent " + (calls == 1 ? "one call of a tool." : calls + " calls of tools.");
  }

  private static ScriptResult.Stats stats(AnalyticsRun run) {
    @Nullable RunTimings timings = RunState.statusOf(run).timings();
    return new ScriptResult.Stats(
        timings == null ? null : RunSummary.millis(timings.queued(), timings.bound()),
        RunSummary.of(run).durationMs(),
        toolCalls(run));
  }

  private static ToolCallCounts toolCalls(AnalyticsRun run) {
    @Nullable ToolCallCounts counts = RunState.statusOf(run).toolCalls();
    return counts == null ? ToolCallCounts.NONE : counts;
  }

  private static String message(AnalyticsRunStatus status, String otherwise) {
    @Nullable String message = status.message();
    return message == null || message.isBlank() ? otherwise : Text.oneLine(message, MAX_MESSAGE);
  }
}
