package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The text that a caller gets for the end of a run. */
public final class RunReply {
  /** Arguments of get_run that wait for the end of a run. */
  public static final String WAIT = ", wait_seconds=30";

  private static final String IN_PROGRESS = "InProgress";
  private static final int MAX_MESSAGE = 4096;

  private RunReply() {}

  /**
   * Of a run that has ended.
   *
   * @param output what it printed, fit to be shown
   */
  public static Reply ended(AnalyticsRun run, String output) {
    return ended(run, output, Optional.empty());
  }

  /**
   * The same.
   *
   * @param longValue a value that its status has no room for
   */
  static Reply ended(AnalyticsRun run, String output, Optional<String> longValue) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    return switch (RunState.phaseOf(run)) {
      case Succeeded -> Reply.success(output + value(output, status.result(), longValue));
      case TimedOut -> failure(output, timeout(run), "TimedOut");
      case Cancelled -> notCompleted(output, run, "Cancelled", message(status, "It was stopped"));
      case Failed -> failed(output, run, status);
      case Pending, Starting, Running, Unknown ->
          throw new IllegalArgumentException(
              "the run has not ended: " + run.getMetadata().getName());
    };
  }

  /** Of a run that was deleted before it ended. */
  public static Reply deleted(AnalyticsRun run) {
    return notCompleted(
        "", run, "Cancelled", "The run " + run.getMetadata().getName() + " was deleted");
  }

  /** Of a run that its caller has cancelled. */
  public static Reply notWanted(AnalyticsRun run) {
    return Reply.executionError(
        "Cancelled", "The run " + run.getMetadata().getName() + " is being stopped on request");
  }

  /** Of a run that goes on though its caller has gone. */
  public static Reply abandoned(AnalyticsRun run) {
    return Reply.executionError(
        "Disconnected",
        "The connection was lost; the run "
            + run.getMetadata().getName()
            + " continues, and get_run shows its end");
  }

  /** Of a run of code that goes on, for which its caller wanted to wait no longer. */
  public static Reply inProgress(AnalyticsRun run, long waitedSeconds) {
    String text =
        continues(run, waitedSeconds, WAIT, "waits for its end and shows what it has printed");
    return inProgress(text, ContinuingRun.of(run, text));
  }

  /**
   * The text of such a reply.
   *
   * @param arguments of get_run after the name, such as {@code , wait_seconds=30}
   * @param shows what that call does
   */
  public static String continues(
      AnalyticsRun run, long waitedSeconds, String arguments, String shows) {
    String name = run.getMetadata().getName();
    return "The run %s continues: %s after %d s. get_run(name=\"%s\"%s) %s; cancel_run stops it."
        .formatted(name, RunState.phaseOf(run), waitedSeconds, name, arguments, shows);
  }

  /** Such a reply, which is no error. */
  public static Reply inProgress(String text, Record structured) {
    return new Reply(List.of(new ContentBlock.Text(text)), structured, false, IN_PROGRESS);
  }

  /** Whether a reply is one of these. */
  public static boolean isInProgress(Reply reply) {
    return IN_PROGRESS.equals(reply.outcome());
  }

  /** Of a run that has outlived all of its limits. */
  public static Reply overdue(AnalyticsRun run, long seconds) {
    return notCompleted(
        "",
        run,
        "NoAnswer",
        "The run "
            + run.getMetadata().getName()
            + " has not reported an end within "
            + seconds
            + " s, which is more than all of its limits; it is being stopped");
  }

  private static Reply failed(String output, AnalyticsRun run, AnalyticsRunStatus status) {
    RunReason reason = status.reason();
    if (reason == null || reason == RunReason.Unknown) {
      return notCompleted(output, run, "Failed", message(status, "The run failed"));
    }
    return switch (reason) {
      case CodeError -> failure(output, codeError(run, status), "CodeError");
      case MemoryExceeded ->
          failure(
              output,
              "ERROR: MemoryError: "
                  + message(status, "The code exceeded the memory limit of its class")
                  + traceback(run, error(status)),
              "MemoryExceeded");
      case Cancelled -> notCompleted(output, run, "Cancelled", message(status, "It was stopped"));
      case GuardRefused -> failure(output, refusal(status), "GuardRefused");
      case ArtifactNotFound,
          InvalidSpec,
          ClassNotAllowed,
          ClassTooSmall,
          DatasetNotFound,
          StartFailed,
          ScratchExceeded,
          PodLost,
          RunnerLost ->
          notCompleted(output, run, reason.name(), message(status, "The run failed"));
      case DeadlineExceeded,
          Queued,
          DatasetNotReady,
          WaitingForPod,
          OutputStoreUnavailable,
          PodCreated,
          Bound,
          Started,
          Completed,
          Unknown ->
          notCompleted(output, run, reason.name(), message(status, "The run failed"));
    };
  }

  /** The guard's own words, which name all that it found. */
  private static String refusal(AnalyticsRunStatus status) {
    RunError error = error(status);
    return error == null
        ? "Code safety validation failed: " + message(status, "the class does not allow the code")
        : Text.clean(error.message());
  }

  private static String timeout(AnalyticsRun run) {
    return switch (run.getSpec().runMode()) {
      case STANDARD, LEGACY, UNKNOWN ->
          "TIMEOUT: Code execution exceeded " + timeoutOf(run) + " second limit";
      case CODE -> "TIMEOUT: Execution timed out after " + timeoutOf(run) + " seconds";
    };
  }

  private static String codeError(AnalyticsRun run, AnalyticsRunStatus status) {
    RunError error = error(status);
    if (error == null) {
      return "ERROR: CodeError: " + message(status, "The code ended itself with an error");
    }
    String code = error.code() == null ? "" : " [" + error.code() + "]";
    return "ERROR: "
        + Text.oneLine(error.type(), 256)
        + code
        + ": "
        + Text.clean(error.message())
        + traceback(run, error);
  }

  private static @Nullable RunError error(AnalyticsRunStatus status) {
    return status.result() == null ? null : status.result().error();
  }

  private static String traceback(AnalyticsRun run, @Nullable RunError error) {
    if (error == null || error.traceback() == null || error.traceback().isBlank()) {
      return "";
    }
    String traceback = Text.clean(error.traceback()).stripTrailing();
    return "\nTraceback:\n"
        + (run.getSpec().language().isPython() ? PythonTraceback.shortened(traceback) : traceback);
  }

  /** What is shown of a value after the output. */
  private static String value(
      String output, @Nullable RunResult result, Optional<String> longValue) {
    if (result == null || result.valueBytes() == null) {
      return "";
    }
    String lineEnd = output.isEmpty() || output.endsWith("\n") ? "" : "\n";
    return lineEnd
        + (result.value() == null
            ? longValue.orElse("[value omitted: " + result.valueBytes() + " bytes]")
            : Text.escapedJson(result.value()));
  }

  private static Reply notCompleted(
      String output, AnalyticsRun run, String reason, String message) {
    PayloadStarted started = RunState.statusOf(run).payloadStarted();
    String sentence =
        switch (started == null ? PayloadStarted.Unknown : started) {
          case No -> "The code was not started" + adviceNotStarted(reason);
          case Yes ->
              "The code was started, but no result was received. Assay does not retry it."
                  + " Sending it again runs it from its beginning.";
          case Unknown ->
              "It is unknown whether the code was started. Assay does not retry it."
                  + " Sending it again may run it a second time.";
        };
    return failure(output, "EXECUTION ERROR: " + reason + ": " + message + "\n" + sentence, reason);
  }

  private static String adviceNotStarted(String reason) {
    return switch (reason) {
      case "ArtifactNotFound",
          "InvalidSpec",
          "ClassNotAllowed",
          "ClassTooSmall",
          "DatasetNotFound" ->
          "; the same call will fail in the same way.";
      default -> ": retrying is safe.";
    };
  }

  private static Reply failure(String output, String text, String outcome) {
    return Reply.failure(OutputText.endedLine(output) + text, outcome);
  }

  private static String message(AnalyticsRunStatus status, String otherwise) {
    @Nullable String message = status.message();
    return message == null || message.isBlank() ? otherwise : Text.oneLine(message, MAX_MESSAGE);
  }

  private static String timeoutOf(AnalyticsRun run) {
    return RunState.timeLimitOf(run.getSpec())
        .map(limit -> BigDecimal.valueOf(limit.toMillis(), 3).stripTrailingZeros().toPlainString())
        .orElse("its");
  }
}
