package dev.assay.operator.run;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
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
 */
public record Ending(
    RunReason reason,
    String message,
    @Nullable PayloadStarted payloadStarted,
    @Nullable RunResult result,
    @Nullable Duration runTime) {

  /** An ending before any code was started. */
  public static Ending notStarted(RunReason reason, String message) {
    return new Ending(reason, message, PayloadStarted.No, null, null);
  }

  /** An ending that tells nothing about whether the code was started. */
  public static Ending lost(RunReason reason, String message, @Nullable RunResult result) {
    return new Ending(reason, message, null, result, null);
  }
}
