package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunUsage;
import dev.assay.api.v1alpha1.RunUsageBuilder;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.RunnerEvent;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Derives the ending of a run from the end of its Pod or worker. */
public final class Endings {
  /** The type of error with which a runner reports that the guard refused the code. */
  private static final String GUARD_REFUSED = "GuardRefused";

  private Endings() {}

  /**
   * The ending for a result that the runner reported.
   *
   * @param language of the run
   * @param started whether the runner reported that it started the code
   * @param pod the current Pod, if it exists
   * @param memory the class's memory, for the message
   * @param timeout the run's time limit, for the message
   */
  public static Ending reported(
      RunnerEvent.Result event,
      RunResult result,
      Language language,
      boolean started,
      @Nullable Pod pod,
      String memory,
      Duration timeout) {
    return switch (event.outcome()) {
      case Succeeded -> {
        Ending completed = started(RunReason.Completed, "The code completed", result, event);
        yield mayCache(language) && event.isCacheable() && !event.isTruncated()
            ? completed.cacheable()
            : completed;
      }
      case CodeError -> started(RunReason.CodeError, codeError(event), result, event);
      case DeadlineExceeded ->
          started(
              RunReason.DeadlineExceeded,
              "The code ran longer than its limit of "
                  + text(timeout)
                  + " and was stopped"
                  + place(event),
              result,
              event);
      case MemoryExceeded ->
          started(RunReason.MemoryExceeded, memoryExceeded(memory), result, event);
      case Cancelled ->
          new Ending(
              RunReason.Cancelled,
              "The run was cancelled on request",
              started ? PayloadStarted.Yes : PayloadStarted.No,
              result,
              null,
              null);
      case StartFailed ->
          new Ending(
              isGuardRefusal(event) ? RunReason.GuardRefused : RunReason.StartFailed,
              pod != null && PodState.workerOutOfMemory(pod)
                  ? "The worker did not start: it exceeds the memory limit of its class: " + memory
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
                  "The worker container terminated while the code was running"
                      + (pod == null ? "" : ": " + PodState.terminationReason(pod)),
                  result);
    };
  }

  /** Python and Polars run code that can write what its worker reports. */
  private static boolean mayCache(Language language) {
    return language == Language.SQL;
  }

  private static String text(Duration timeout) {
    return timeout.toMillisPart() == 0 ? timeout.toSeconds() + " s" : timeout.toMillis() + " ms";
  }

  /** The ending for a Pod that was deleted or has terminated without a result. */
  public static Ending podEnded(@Nullable Pod pod, String memory, @Nullable RunResult partial) {
    if (pod != null && PodState.scratchExceeded(pod)) {
      return Ending.startUnknown(
          RunReason.ScratchExceeded,
          "The code exceeded the scratch limit of its class: " + PodState.terminationReason(pod),
          partial);
    }
    if (pod == null || pod.getMetadata().getDeletionTimestamp() != null) {
      return Ending.startUnknown(RunReason.PodLost, "The Pod was deleted during the run", partial);
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
        RunReason.PodLost, "The Pod ended: " + PodState.terminationReason(pod), partial);
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
        : RunUsageBuilder.builder()
            .cpuSeconds(cpuMillis == null ? null : BigDecimal.valueOf(cpuMillis, 3).toPlainString())
            .peakMemoryBytes(event.peakMemoryBytes())
            .build();
  }

  private static String memoryExceeded(String memory) {
    return "The code exceeded the memory limit of its class: " + memory;
  }

  private static String place(RunnerEvent.Result event) {
    return event.error() == null || event.error().line() == null
        ? ""
        : " in line " + event.error().line();
  }

  private static String codeError(RunnerEvent.Result event) {
    if (event.error() == null) {
      return "The code exited with an error";
    }
    return event.error().message().isEmpty()
        ? event.error().type()
        : event.error().type() + ": " + event.error().message();
  }

  private static boolean isGuardRefusal(RunnerEvent.Result event) {
    return event.error() != null && GUARD_REFUSED.equals(event.error().type());
  }

  private static String startFailed(RunnerEvent.Result event) {
    if (event.error() == null) {
      return "The worker did not start";
    }
    return isGuardRefusal(event)
        ? event.error().message()
        : "The worker did not start: " + event.error().message();
  }
}
