package dev.assay.operator.run;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunUsage;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.RunnerEvent;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the end of a Pod or of its worker means for the run. */
final class Endings {
  private Endings() {}

  /**
   * From the result that the runner reported.
   *
   * @param started whether the runner told that it started the code
   * @param pod the Pod as it is now, if it is there
   * @param memory the class's memory, for the text
   * @param timeoutSeconds the run's time limit, for the text
   */
  static Ending reported(
      RunnerEvent.Result event,
      RunResult result,
      boolean started,
      @Nullable Pod pod,
      String memory,
      int timeoutSeconds) {
    return switch (event.outcome()) {
      case Succeeded -> started(RunReason.Completed, "The code completed", result, event);
      case CodeError -> started(RunReason.CodeError, codeError(event), result, event);
      case DeadlineExceeded ->
          started(
              RunReason.DeadlineExceeded,
              "The code ran longer than its limit of " + timeoutSeconds + " s and was stopped",
              result,
              event);
      case MemoryExceeded ->
          started(RunReason.MemoryExceeded, memoryExceeded(memory), result, event);
      case Cancelled ->
          new Ending(
              RunReason.Cancelled,
              "The run was stopped on request",
              started ? PayloadStarted.Yes : PayloadStarted.No,
              result,
              null,
              null);
      case StartFailed ->
          new Ending(
              RunReason.StartFailed,
              pod != null && PodState.workerOutOfMemory(pod)
                  ? "The worker did not come up: it needs more memory than its class gives: "
                      + memory
                  : startFailed(event),
              PayloadStarted.No,
              result,
              null,
              null);
      case WorkerLost ->
          pod != null && PodState.workerOutOfMemory(pod)
              ? Ending.startUnknown(RunReason.MemoryExceeded, memoryExceeded(memory), result)
              : Ending.startUnknown(
                  RunReason.RunnerLost,
                  "The worker container ended with the code in it"
                      + (pod == null ? "" : ": " + PodState.endedBecause(pod)),
                  result);
    };
  }

  /** The Pod is gone or has ended, and no result came. */
  static Ending podEnded(@Nullable Pod pod, String memory, @Nullable RunResult partial) {
    if (pod != null && PodState.scratchExceeded(pod)) {
      return Ending.startUnknown(
          RunReason.ScratchExceeded,
          "The code wrote more to its scratch directory than its class gives: "
              + PodState.endedBecause(pod),
          partial);
    }
    if (pod == null || pod.getMetadata().getDeletionTimestamp() != null) {
      return Ending.startUnknown(
          RunReason.PodLost, "The Pod was deleted while the run was in it", partial);
    }
    if (PodState.workerOutOfMemory(pod)) {
      return Ending.startUnknown(RunReason.MemoryExceeded, memoryExceeded(memory), partial);
    }
    if ("DeadlineExceeded".equals(pod.getStatus().getReason())) {
      return Ending.startUnknown(
          RunReason.DeadlineExceeded,
          "Kubernetes stopped the Pod at its activeDeadlineSeconds",
          partial);
    }
    return Ending.startUnknown(
        RunReason.PodLost, "The Pod ended: " + PodState.endedBecause(pod), partial);
  }

  private static Ending started(
      RunReason reason, String message, RunResult result, RunnerEvent.Result event) {
    return Ending.started(reason, message, result)
        .measured(Duration.ofMillis(event.durationMillis()), usage(event));
  }

  private static @Nullable RunUsage usage(RunnerEvent.Result event) {
    Long cpuMillis = event.cpuMillis();
    return cpuMillis == null && event.peakMemoryBytes() == null
        ? null
        : new RunUsage(
            cpuMillis == null ? null : BigDecimal.valueOf(cpuMillis, 3).toPlainString(),
            event.peakMemoryBytes());
  }

  private static String memoryExceeded(String memory) {
    return "The code needed more memory than its class gives: " + memory;
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
