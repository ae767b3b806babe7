package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.tool.RunToolPolicy;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run to execute.
 *
 * @param run the cached run
 * @param pod its Pod, running
 * @param snapshots those that it reads
 * @param idleHello what the runner of a warm Pod answered before the Pod was given to the run; null
 *     for a Pod of its own, and for a run that is bound already
 * @param queued when the operator saw the run first
 * @param limits the limits of the run
 * @param guard the check of its code before it is started; null for none
 * @param tools which tools its code may call; null if it cannot call any
 * @param startTimeout from the start to the first instruction
 * @param retry decides whether it gets another Pod
 * @param waiting how it waits for its Pod
 */
public record ExecutionRequest(
    AnalyticsRun run,
    Pod pod,
    List<PinnedSnapshot> snapshots,
    @Nullable Hello idleHello,
    Instant queued,
    RunLimits limits,
    Job.@Nullable Guard guard,
    @Nullable RunToolPolicy tools,
    Duration startTimeout,
    Retry retry,
    Waiting waiting) {
  /** The overhead of base64 and of an event with as little as one byte of output. */
  private static final long STREAM_BYTES_PER_OUTPUT_BYTE = 128;

  private static final long STREAM_BYTES_BESIDE_OUTPUT = 2L * 1024 * 1024;

  /** An event with the longest arguments of a call. */
  private static final long STREAM_BYTES_PER_CALL = 2L * RunnerEvent.ToolCall.MAX_ARGS;

  /** Decides whether a run whose Pod ended before any code ran gets another Pod. */
  @FunctionalInterface
  public interface Retry {
    /** The run's status message in the meantime; empty if it gets no other Pod. */
    Optional<String> message(String cause);
  }

  /** How a run waits for its Pod. */
  public interface Waiting {
    /** The time left until its pending deadline; not negative. */
    Duration left();

    /** Writes why it waits to its status, or ends it if its pending deadline has passed. */
    void because(String message);
  }

  /** Whether the supervisor of a warm Pod opens what the run reads. */
  boolean bringsDatasets() {
    return PodState.isWarm(pod) && !snapshots.isEmpty();
  }

  /** What its job is told that it reads. */
  RunJob.Read read(List<PinnedInput> inputs) {
    return new RunJob.Read(snapshots, !PodState.isWarm(pod), inputs);
  }

  /** The limits that the supervisor enforces. */
  Job.Limits jobLimits() {
    return new Job.Limits(
        limits.timeout().toMillis(),
        startTimeout.toMillis(),
        RunLimits.STOP_GRACE.toMillis(),
        limits.outputLimitBytes());
  }

  /** From now to the latest possible event. */
  Duration maxRemaining() {
    return RunLimits.maxDuration(startTimeout, limits.timeout());
  }

  /** From now to when Kubernetes ends the Pod, as a backstop. */
  public Duration podLife() {
    return RunLimits.podLife(startTimeout, limits.timeout());
  }

  /** The number of bytes that one connection to the runner may deliver. */
  long maxStreamBytes() {
    return STREAM_BYTES_BESIDE_OUTPUT
        + STREAM_BYTES_PER_OUTPUT_BYTE * limits.outputLimitBytes()
        + (tools == null ? 0 : STREAM_BYTES_PER_CALL * tools.classMaxCalls());
  }

  String namespace() {
    return run.getMetadata().getNamespace();
  }

  /** Namespace and name, for logs. */
  String name() {
    return namespace() + "/" + run.getMetadata().getName();
  }

  String runUid() {
    return run.getMetadata().getUid();
  }

  String podUid() {
    return pod.getMetadata().getUid();
  }
}
