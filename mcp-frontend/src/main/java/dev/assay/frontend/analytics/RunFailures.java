package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The error of a run that did not succeed (pure). */
public final class RunFailures {
  private static final int MAX_MESSAGE = 1_000;
  private static final int MAX_TYPE = 128;
  private static final String MEMORY = "MemoryError";

  /** What runners report where a process ended without an exception: by a crash, say. */
  private static final String PROCESS_ENDED = "ProcessEnded";

  /** What a Polars query without a value is told by its worker. */
  private static final String NO_VALUE =
      "the query has no value: end it with an expression, or assign it to result";

  private static final String VALUES =
      "A result is a table, a list, a dict or a scalar, such as: result = df.head()";

  /** Types of the runner, whose messages are sentences. */
  private static final Set<String> OWN_TYPES =
      Set.of(PROCESS_ENDED, "ResultError", "SnapshotError", "NoFrameError");

  private RunFailures() {}

  /**
   * Of a wait that was broken off.
   *
   * @throws IllegalArgumentException where the run has ended, or goes on as its caller wanted
   */
  public static AnalyticsError of(RunOutcome outcome) {
    String name = outcome.run().getMetadata().getName();
    return switch (outcome) {
      case RunOutcome.Ended _, RunOutcome.InProgress _ ->
          throw new IllegalArgumentException("the run has not failed: " + name);
      case RunOutcome.Deleted deleted ->
          engineError(deleted.run(), "the run " + name + " was deleted");
      case RunOutcome.NotWanted notWanted ->
          engineError(notWanted.run(), "the run " + name + " was cancelled on request");
      case RunOutcome.Abandoned abandoned ->
          AnalyticsError.of(
              ErrorCode.ENGINE_ERROR,
              "the connection was lost; the run " + name + " continues",
              List.of("get_run(name=\"" + name + "\") shows its result"),
              null);
      case RunOutcome.Overdue overdue ->
          engineError(
              overdue.run(),
              "the run " + name + " has not ended within all of its limits; it is being stopped");
    };
  }

  /**
   * Of a run that has ended without success.
   *
   * @param known what it reported beside its error; null where that is nothing, or cannot be read
   */
  public static AnalyticsError of(AnalyticsRun run, AnalyticsValue.@Nullable Failure known) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    return switch (RunState.phaseOf(run)) {
      case TimedOut ->
          AnalyticsError.of(
              ErrorCode.TIMEOUT,
              "the query ran longer than its limit of "
                  + run.getSpec().timeoutSeconds()
                  + " seconds",
              suggestions(known),
              context(known));
      case Cancelled -> engineError(run, message(status, "the run was cancelled"));
      case Failed -> failed(run, status, known);
      case Pending, Starting, Running, Succeeded, Unknown ->
          throw new IllegalArgumentException(
              "the run has not failed: " + run.getMetadata().getName());
    };
  }

  /** Of a run that has succeeded and returned nothing, which a script of Python may do. */
  public static AnalyticsError withoutValue(AnalyticsRun run) {
    return run.getSpec().builtin() == null && run.getSpec().language() != Language.SQL
        ? AnalyticsError.of(ErrorCode.QUERY_ERROR, NO_VALUE, List.of(VALUES), null)
        : AnalyticsError.of(ErrorCode.ENGINE_ERROR, "the run returned no result");
  }

  private static AnalyticsError failed(
      AnalyticsRun run, AnalyticsRunStatus status, AnalyticsValue.@Nullable Failure known) {
    @Nullable RunReason reason = status.reason();
    if (reason == null) {
      return engineError(run, message(status, "the run failed"));
    }
    return switch (reason) {
      case CodeError -> codeError(run, status, known);
      case MemoryExceeded, ScratchExceeded, ClassTooSmall ->
          AnalyticsError.of(ErrorCode.MEMORY_ERROR, message(status, "the query ran out of memory"));
      case InvalidSpec, ClassNotAllowed, GuardRefused ->
          AnalyticsError.of(ErrorCode.INVALID_INPUT, message(status, "the run was refused"));
      case ArtifactNotFound, DatasetNotFound ->
          AnalyticsError.of(ErrorCode.FILE_NOT_FOUND, message(status, "an input does not exist"));
      case StartFailed ->
          hasCode(status)
              ? codeError(run, status, known)
              : engineError(run, message(status, "the run failed"));
      case PodLost,
          RunnerLost,
          Cancelled,
          DeadlineExceeded,
          Queued,
          DatasetNotReady,
          WaitingForPod,
          OutputStoreUnavailable,
          PodCreated,
          Bound,
          Started,
          Completed,
          Unknown ->
          engineError(run, message(status, "the run failed"));
    };
  }

  /** What a query reads is opened before it starts, and errors of that have codes. */
  private static boolean hasCode(AnalyticsRunStatus status) {
    return status.result() != null
        && status.result().error() != null
        && ErrorCode.reported(status.result().error().code()).isPresent();
  }

  private static AnalyticsError codeError(
      AnalyticsRun run, AnalyticsRunStatus status, AnalyticsValue.@Nullable Failure known) {
    @Nullable RunError error = status.result() == null ? null : status.result().error();
    if (error == null) {
      return AnalyticsError.of(
          ErrorCode.QUERY_ERROR, message(status, "the code ended itself with an error"));
    }
    ErrorCode code = ErrorCode.reported(error.code()).orElseGet(() -> codeOf(error.type()));
    String type = Text.oneLine(error.type(), MAX_TYPE);
    String said = Text.clean(error.message());
    String message = isException(run, type) ? type + ": " + said : said;
    @Nullable String context = context(known);
    return AnalyticsError.of(
        code,
        message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…",
        suggestions(known),
        context == null ? lineOf(run, error) : context);
  }

  /** Only of Python: messages of the engine for SQL are sentences without their types. */
  private static boolean isException(AnalyticsRun run, String type) {
    return run.getSpec().builtin() == null
        && run.getSpec().language() != Language.SQL
        && !OWN_TYPES.contains(type);
  }

  private static ErrorCode codeOf(String type) {
    return switch (type) {
      case MEMORY -> ErrorCode.MEMORY_ERROR;
      case PROCESS_ENDED -> ErrorCode.ENGINE_ERROR;
      default -> ErrorCode.QUERY_ERROR;
    };
  }

  /** The line of the code that the error is about. */
  private static @Nullable String lineOf(AnalyticsRun run, RunError error) {
    @Nullable String code = run.getSpec().code();
    @Nullable Integer line = error.line();
    return code == null || line == null || line < 1
        ? null
        : code.lines()
            .skip(line - 1L)
            .findFirst()
            .map(text -> "line " + line + ": " + Text.oneLine(text, 200))
            .orElse(null);
  }

  private static AnalyticsError engineError(AnalyticsRun run, String message) {
    @Nullable PayloadStarted started = RunState.statusOf(run).payloadStarted();
    return AnalyticsError.of(
        ErrorCode.ENGINE_ERROR,
        message,
        List.of(
            switch (started == null ? PayloadStarted.Unknown : started) {
              case No -> "The query was not started: call again";
              case Yes -> "The query was started; calling again runs it from its beginning";
              case Unknown ->
                  "It is unknown whether the query was started; calling again may run it twice";
            }),
        null);
  }

  private static List<String> suggestions(AnalyticsValue.@Nullable Failure known) {
    return known == null ? List.of() : known.suggestions();
  }

  private static @Nullable String context(AnalyticsValue.@Nullable Failure known) {
    return known == null ? null : known.context();
  }

  private static String message(AnalyticsRunStatus status, String otherwise) {
    @Nullable String message = status.message();
    return message == null || message.isBlank() ? otherwise : Text.oneLine(message, MAX_MESSAGE);
  }
}
