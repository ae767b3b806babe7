package dev.assay.operator.runner;

import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker that ended before the first instruction of any code, and whether that is its own fault.
 */
public final class FailedStart {
  /**
   * What the node or another Pod may have caused: a signal, a container that vanished, a system
   * call that was refused. Too little memory, a dataset that cannot be loaded or a wrong image
   * would fail another Pod as well.
   */
  private static final Set<String> OF_THE_NODE =
      Set.of("HandoverFailed", "ProcessEnded", "WorkerLost", "OSError", "BlockingIOError");

  private FailedStart() {}

  /**
   * Why another Pod may do better; empty where code has run, or another Pod would do no better.
   *
   * @param pod as it is now, where it is there
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
