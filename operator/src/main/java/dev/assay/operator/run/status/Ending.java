package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunUsage;
import dev.assay.api.v1alpha1.ToolCallCounts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The ending of a run.
 *
 * @param reason determines the final phase
 * @param message one sentence for users
 * @param payloadStarted whether the code was started; absent to keep what the status says
 * @param result the output and value; absent if there is none
 * @param runTime how long the code ran, by the runner's clock; absent if not reported
 * @param usage the resource usage of the code; absent if not reported
 * @param isCacheable whether the same run again would return the same
 * @param artifacts the files that the run left
 * @param toolCalls how many calls of tools its code made; absent if it made none
 */
public record Ending(
    RunReason reason,
    String message,
    @Nullable PayloadStarted payloadStarted,
    @Nullable RunResult result,
    @Nullable Duration runTime,
    @Nullable RunUsage usage,
    boolean isCacheable,
    RunArtifacts artifacts,
    @Nullable ToolCallCounts toolCalls) {

  /** An ending whose result is that of this run only. */
  Ending(
      RunReason reason,
      String message,
      @Nullable PayloadStarted payloadStarted,
      @Nullable RunResult result,
      @Nullable Duration runTime,
      @Nullable RunUsage usage) {
    this(
        reason,
        message,
        payloadStarted,
        result,
        runTime,
        usage,
        /* isCacheable= */ false,
        RunArtifacts.NONE,
        /* toolCalls= */ null);
  }

  /** An ending before any code was started. */
  public static Ending notStarted(RunReason reason, String message) {
    return new Ending(reason, message, PayloadStarted.No, null, null, null);
  }

  /** An ending that does not change whether the code was started. */
  public static Ending startUnknown(RunReason reason, String message, @Nullable RunResult result) {
    return new Ending(reason, message, null, result, null, null);
  }

  /** An ending after the code was started. */
  public static Ending started(RunReason reason, String message, @Nullable RunResult result) {
    return new Ending(reason, message, PayloadStarted.Yes, result, null, null);
  }

  /** The same ending for a run that was cancelled. */
  public Ending cancelled() {
    return startUnknown(RunReason.Cancelled, "The run was cancelled on request", result)
        .leaving(artifacts)
        .calling(toolCalls);
  }

  /** The same with an addition to the message. */
  public Ending explained(String more) {
    return new Ending(reason, message + "; " + more, payloadStarted, result, runTime, usage)
        .leaving(artifacts)
        .calling(toolCalls);
  }

  /** The same for a run that would return the same again. */
  Ending cacheable() {
    return new Ending(
        reason, message, payloadStarted, result, runTime, usage, true, artifacts, toolCalls);
  }

  /** The same with the runner's measurements. */
  Ending measured(Duration time, @Nullable RunUsage used) {
    return new Ending(reason, message, payloadStarted, result, time, used)
        .leaving(artifacts)
        .calling(toolCalls);
  }

  /** The same for a run that left files. */
  public Ending leaving(RunArtifacts left) {
    return new Ending(
        reason, message, payloadStarted, result, runTime, usage, isCacheable, left, toolCalls);
  }

  /** The same for a run whose code made so many calls of tools. */
  public Ending calling(@Nullable ToolCallCounts calls) {
    return new Ending(
        reason, message, payloadStarted, result, runTime, usage, isCacheable, artifacts, calls);
  }
}
