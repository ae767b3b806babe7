package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.Effect;
import dev.assay.operator.run.machine.Event;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.runner.FailedStart;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerEvent;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs whose workers did not start, so that no code has run and none can run any more. */
final class FailedStarts {
  private static final Logger LOG = LoggerFactory.getLogger(FailedStarts.class);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final PodView podView;
  private final ReceivedOutput output;
  private final RunFollower follower;

  FailedStarts(
      ExecutionServices services,
      ExecutionRequest request,
      PodView podView,
      ReceivedOutput output,
      RunFollower follower) {
    this.services = services;
    this.request = request;
    this.podView = podView;
    this.output = output;
    this.follower = follower;
  }

  /** Whether the cause, as the Pod's status has it, is outside of the run. */
  Event findCause(RunnerEvent.Result result) throws InterruptedException {
    boolean unused =
        podView.await(
            pod -> PodState.workerEnded(pod) || PodState.isTerminal(pod),
            ExecutionEndings.STATUS_LAG);
    Optional<String> cause = FailedStart.retryableCause(result, podView.now().orElse(null));
    Optional<String> message = cause.flatMap(request.retry()::message);
    return message.isPresent()
        ? new Event.CauseFound(cause.orElseThrow(), message.get())
        : new Event.NoCauseFound();
  }

  /** Deletes what the worker of a run that was released has written. */
  Event forget(Effect.ForgetStart effect) throws InterruptedException {
    if (effect.hasOutput()) {
      // It must not become the beginning of the output of the next worker.
      output.forgetReleased();
    }
    LOG.info("Run {} gets another Pod: {}", request.name(), effect.cause());
    services.events().waiting(request.run(), RunReason.WaitingForPod, effect.message());
    boolean unused = follower.acknowledge();
    return new Event.StartForgotten();
  }
}
