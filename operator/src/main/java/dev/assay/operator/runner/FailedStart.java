package dev.assay.operator.runner;

import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides whether a worker that ended before the first instruction of any code may be replaced. */
public final class FailedStart {
  /**
   * Errors that the node or another Pod may have caused: a signal, a container that disappeared, a
   * denied system call. Too little memory, a dataset that cannot be loaded or a wrong image would
   * fail in another Pod as well.
   */
  private static final Set<String> OF_THE_NODE =
      Set.of("HandoverFailed", "ProcessEnded", "WorkerLost", "OSError", "BlockingIOError");

  private FailedStart() {}

  /**
   * Why another Pod may succeed; empty if code has run, or another Pod would fail as well.
   *
   * @param pod the current Pod, if it exists
   */
  public static Optional<String> retryableCause(RunnerEvent.Result result, @Nullable Pod pod) {
    RunnerEvent.CodeError error = result.error();
    if (result.outcome() != RunnerEvent.Outcome.StartFailed
        || error == null
        || !OF_THE_NODE.contains(error.type())
        || (pod != null && PodState.workerOutOfMemory(pod))) {
      return Optional.empty();
    }
    return Optional.of(error.message());
  }
}
