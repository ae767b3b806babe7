package dev.assay.operator.run;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunUsage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a run ends.
 *
 * @param reason why; the final phase follows from it
 * @param message one sentence for people
 * @param payloadStarted whether the code was started; what is known already where absent
 * @param result what came back; absent where nothing did
 * @param runTime how long the code ran, by the runner's clock; absent where it did not say
 * @param usage what the code used; absent where the runner did not say
 */
public record Ending(
    RunReason reason,
    String message,
    @Nullable PayloadStarted payloadStarted,
    @Nullable RunResult result,
    @Nullable Duration runTime,
    @Nullable RunUsage usage) {

  /** An ending before any code was started. */
  public static Ending notStarted(RunReason reason, String message) {
    return new Ending(reason, message, PayloadStarted.No, null, null, null);
  }

  /** An ending that tells nothing about whether the code was started. */
  public static Ending startUnknown(RunReason reason, String message, @Nullable RunResult result) {
    return new Ending(reason, message, null, result, null, null);
  }

  /** An ending after the code was started. */
  static Ending started(RunReason reason, String message, @Nullable RunResult result) {
    return new Ending(reason, message, PayloadStarted.Yes, result, null, null);
  }

  /** What is known where somebody had asked for the end. */
  Ending cancelled() {
    return startUnknown(RunReason.Cancelled, "The run was stopped on request", result);
  }

  /** The same with more to say. */
  Ending explained(String more) {
    return new Ending(reason, message + "; " + more, payloadStarted, result, runTime, usage);
  }

  /** The same with what the runner measured. */
  Ending measured(Duration time, @Nullable RunUsage used) {
    return new Ending(reason, message, payloadStarted, result, time, used);
  }
}
