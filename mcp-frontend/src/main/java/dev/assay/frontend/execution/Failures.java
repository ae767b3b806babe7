package dev.assay.frontend.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.analytics.GuardReport;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a caller reads of a run that did not succeed (pure). */
public final class Failures {
  /** Any other wording would break those who look for it. */
  private static final List<String> AFTER_TIMEOUT =
      List.of(
          "Consider sampling the dataset first",
          "Break analysis into smaller chunks",
          "Increase timeout_seconds parameter");

  private static final String VIOLATION = "SecurityViolation";
  private static final int MAX_SNIPPET = 200;
  private static final int MAX_MESSAGE = 4_096;
  private static final int MAX_OPERATIONS = 5;
  private static final int MAX_OPERATION = 200;

  /** The frame of the script itself, in a traceback of Python. */
  private static final Pattern MODULE_LINE =
      Pattern.compile("File \"[^\"]*\", line ([0-9]{1,7}), in <module>");

  private Failures() {}

  /**
   * Of a run that has ended without success.
   *
   * @param output what it printed, as the text of the reply has it
   * @param guard what the guard found; null where it was not the guard
   * @param data what the code works on
   */
  public static FailureDocument of(
      AnalyticsRun run, String output, @Nullable GuardReport guard, DataFacts data) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (RunState.phaseOf(run) == RunPhase.TimedOut) {
      return timeout(run, output, data);
    }
    if (status.reason() == RunReason.GuardRefused) {
      return refused(guard);
    }
    @Nullable RunError error = status.result() == null ? null : status.result().error();
    return new FailureDocument(
        "error",
        error == null || status.reason() != RunReason.CodeError
            ? ofPlatform(status, data)
            : ofCode(run, error, data),
        new FailureDocument.PartialOutputs(output, executedLines(error)),
        null,
        null,
        null,
        null);
  }

  /**
   * What to do after such an end, in one sentence; empty where only the code has to be corrected.
   *
   * @param data what the code works on
   */
  public static Optional<String> advice(AnalyticsRun run, DataFacts data) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    if (status.reason() == RunReason.MemoryExceeded) {
      return Optional.of(Suggestions.ofMemory(data));
    }
    @Nullable RunError error = status.result() == null ? null : status.result().error();
    return error == null || status.reason() != RunReason.CodeError
        ? Optional.empty()
        : Suggestions.specific(error.type(), Text.clean(error.message()), data);
  }

  private static FailureDocument timeout(AnalyticsRun run, String output, DataFacts data) {
    @Nullable Integer seconds = run.getSpec().timeoutSeconds();
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    int operations = Math.max(0, lines.size() - 1);
    List<String> recommendations = new ArrayList<>(AFTER_TIMEOUT);
    data.advice().ifPresent(recommendations::add);
    return new FailureDocument(
        "timeout",
        null,
        null,
        seconds == null ? null : seconds.doubleValue(),
        new FailureDocument.PartialResults(
            lines.isEmpty() ? "" : Text.oneLine(lines.getLast(), MAX_OPERATION),
            lines.subList(Math.max(0, operations - MAX_OPERATIONS), operations).stream()
                .map(line -> Text.oneLine(line, MAX_OPERATION))
                .toList()),
        null,
        recommendations);
  }

  private static FailureDocument refused(@Nullable GuardReport guard) {
    return new FailureDocument(
        "error",
        new ErrorDetails(
            VIOLATION,
            "Code safety validation failed" + (guard == null ? "" : more(guard)),
            null,
            null,
            null,
            null,
            guard == null ? null : guard.violations()),
        null,
        null,
        null,
        guard == null ? List.of() : guard.alternatives(),
        null);
  }

  private static String more(GuardReport guard) {
    int listed = guard.violations().size();
    return guard.total() > listed
        ? ": the first %d of %d violations".formatted(listed, guard.total())
        : "";
  }

  private static ErrorDetails ofPlatform(AnalyticsRunStatus status, DataFacts data) {
    @Nullable RunReason reason = status.reason();
    boolean isMemory = reason == RunReason.MemoryExceeded;
    @Nullable String message = status.message();
    return new ErrorDetails(
        isMemory ? "MemoryError" : reason == null ? "Failed" : reason.name(),
        message == null ? "The run failed" : Text.oneLine(message, MAX_MESSAGE),
        null,
        null,
        isMemory ? Suggestions.ofMemory(data) : null,
        null,
        null);
  }

  private static ErrorDetails ofCode(AnalyticsRun run, RunError error, DataFacts data) {
    @Nullable Integer line = error.line();
    @Nullable String code = run.getSpec().code();
    String type = Text.oneLine(error.type(), 256);
    String message = Text.clean(error.message());
    return new ErrorDetails(
        type,
        message,
        line,
        code == null || line == null || line < 1
            ? null
            : code.lines()
                .skip(line - 1L)
                .findFirst()
                .map(text -> Text.oneLine(text, MAX_SNIPPET))
                .orElse(null),
        Suggestions.of(type, message, line, data),
        error.traceback() == null ? null : Text.clean(error.traceback()).stripTrailing(),
        null);
  }

  /** Those before the statement of the script that failed, whatever it called. */
  private static @Nullable Integer executedLines(@Nullable RunError error) {
    if (error == null) {
      return null;
    }
    if (error.type().endsWith("SyntaxError") || error.type().equals("IndentationError")) {
      return 0; // Nothing of a script is executed that cannot be read.
    }
    Matcher frames = MODULE_LINE.matcher(error.traceback() == null ? "" : error.traceback());
    @Nullable Integer line =
        frames
            .results()
            .map((MatchResult frame) -> Integer.valueOf(frame.group(1)))
            .findFirst()
            .orElse(error.line());
    return line == null ? null : Math.max(0, line - 1);
  }
}
