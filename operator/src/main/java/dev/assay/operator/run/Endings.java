package dev.assay.operator.run;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.RunnerEvent;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the end of a Pod or of its worker means for the run. */
final class Endings {
  private Endings() {}

  /**
   * From the result that the runner reported.
   *
   * @param pod the Pod as it is now, if it is there
   * @param memory the class's memory, for the text
   * @param timeoutSeconds the run's time limit, for the text
   */
  static Ending reported(
      RunnerEvent.Result event,
      RunResult result,
      @Nullable Pod pod,
      String memory,
      int timeoutSeconds) {
    Duration runTime = Duration.ofMillis(event.durationMillis());
    return switch (event.outcome()) {
      case Succeeded ->
          new Ending(
              RunReason.Completed, "The code completed", PayloadStarted.Yes, result, runTime);
      case CodeError ->
          new Ending(RunReason.CodeError, codeError(event), PayloadStarted.Yes, result, runTime);
      case DeadlineExceeded ->
          new Ending(
              RunReason.DeadlineExceeded,
              "The code ran longer than its limit of " + timeoutSeconds + " s and was stopped",
              PayloadStarted.Yes,
              result,
              runTime);
      case MemoryExceeded -> memoryExceeded(memory, PayloadStarted.Yes, result);
      case Cancelled -> Ending.lost(RunReason.Cancelled, "The run was stopped on request", result);
      case StartFailed ->
          new Ending(RunReason.StartFailed, startFailed(event), PayloadStarted.No, result, null);
      case WorkerLost ->
          pod != null && PodState.workerOutOfMemory(pod)
              ? memoryExceeded(memory, null, result)
              : Ending.lost(
                  RunReason.RunnerLost,
                  "The worker container ended with the code in it"
                      + (pod == null ? "" : ": " + PodState.endedBecause(pod)),
                  result);
    };
  }

  /** The Pod is gone or has ended, and no result came. */
  static Ending podEnded(@Nullable Pod pod, String memory, @Nullable RunResult partial) {
    if (pod == null || pod.getMetadata().getDeletionTimestamp() != null) {
      return Ending.lost(RunReason.PodLost, "The Pod was deleted while the run was in it", partial);
    }
    if (PodState.workerOutOfMemory(pod)) {
      return memoryExceeded(memory, null, partial);
    }
    if ("DeadlineExceeded".equals(pod.getStatus().getReason())) {
      return Ending.lost(
          RunReason.DeadlineExceeded,
          "Kubernetes stopped the Pod at its activeDeadlineSeconds",
          partial);
    }
    return Ending.lost(RunReason.PodLost, "The Pod ended: " + PodState.endedBecause(pod), partial);
  }

  private static Ending memoryExceeded(
      String memory, @Nullable PayloadStarted payloadStarted, @Nullable RunResult result) {
    return new Ending(
        RunReason.MemoryExceeded,
        "The code needed more memory than its class gives: " + memory,
        payloadStarted,
        result,
        null);
  }

  private static String codeError(RunnerEvent.Result event) {
    if (event.error() == null) {
      return "The code ended itself with an error";
    }
    return event.error().message().isEmpty()
        ? event.error().type()
        : event.error().type() + ": " + event.error().message();
  }

  private static String startFailed(RunnerEvent.Result event) {
    return event.error() == null
        ? "The worker did not come up"
        : "The worker did not come up: " + event.error().message();
  }
}
