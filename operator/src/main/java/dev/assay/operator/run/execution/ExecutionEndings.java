package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.State;
import dev.assay.operator.run.results.ReceivedArtifacts;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.Endings;
import dev.assay.operator.run.status.RunArtifacts;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerEvent;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** The ending of an execution: the cause with the output so far, and the state of the Pod. */
public final class ExecutionEndings {
  /** How long the Pod's status may lag behind what its runner reports. */
  public static final Duration STATUS_LAG = Duration.ofSeconds(5);

  private final ExecutionRequest request;
  private final PodView podView;
  private final AtomicReference<State> state;
  private final ReceivedOutput output;
  private final ReceivedArtifacts artifacts;

  ExecutionEndings(
      ExecutionRequest request,
      PodView podView,
      AtomicReference<State> state,
      ReceivedOutput output,
      ReceivedArtifacts artifacts) {
    this.request = request;
    this.podView = podView;
    this.state = state;
    this.output = output;
    this.artifacts = artifacts;
  }

  /** The ending that the runner reported. */
  Ending reported(RunnerEvent.Result result) throws InterruptedException {
    Pod pod = podView.now().orElse(null);
    if (result.outcome() == RunnerEvent.Outcome.WorkerLost && pod != null) {
      boolean unused = podView.await(PodState::workerEnded, STATUS_LAG);
      pod = podView.now().orElse(null);
    }
    return Endings.reported(
            result,
            output.reported(result),
            request.run().getSpec().language(),
            state.get().isStarted(),
            pod,
            request.limits().memory(),
            request.limits().timeout())
        .leaving(left(result));
  }

  private RunArtifacts left(RunnerEvent.Result result) {
    RunArtifacts found = artifacts.found();
    return result.outcome() == RunnerEvent.Outcome.WorkerLost
            && request.limits().collectsArtifacts()
            && found.equals(RunArtifacts.NONE)
        ? RunArtifacts.CONTAINER_ENDED
        : found;
  }

  /** The Pod ended without a result. */
  Ending podEnded() throws InterruptedException {
    return withoutResult(
        Endings.podEnded(podView.now().orElse(null), request.limits().memory(), output.partial()));
  }

  /** The run cannot be done, or its runner cannot be used or followed any more. */
  Ending noResult(RunReason reason, String message) throws InterruptedException {
    boolean mayHaveOutput = state.get().mayHaveStarted();
    return withoutResult(
        Ending.startUnknown(reason, message, mayHaveOutput ? output.partial() : null));
  }

  /** Artifacts may have been stored although the result was not handled to its end. */
  private RunArtifacts leftWithoutResult() throws InterruptedException {
    return artifacts.found().equals(RunArtifacts.NONE)
        ? output.artifactsOfEarlier().orElse(RunArtifacts.CONTAINER_ENDED)
        : artifacts.found();
  }

  private Ending withoutResult(Ending ending) throws InterruptedException {
    State now = state.get();
    Ending known = now.cancelled() ? ending.cancelled() : ending;
    if (output.isStoreUnavailable()) {
      known = known.explained("the end of its output could not be stored");
    }
    if (!now.mayHaveStarted()) {
      return Ending.notStarted(known.reason(), known.message());
    }
    return request.limits().collectsArtifacts() ? known.leaving(leftWithoutResult()) : known;
  }
}
