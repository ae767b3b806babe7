package dev.assay.operator.run;

import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.runner.SignedStart;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows a run in the Pod that it is bound to: sends the start, handles events, acknowledges. */
final class RunFollower {
  private static final Logger LOG = LoggerFactory.getLogger(RunFollower.class);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<ExecutionState> state;
  private final RunStatusWriter status;
  private final ReceivedOutput output;
  private final ReceivedArtifacts artifacts;

  RunFollower(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<ExecutionState> state,
      RunStatusWriter status,
      ReceivedOutput output,
      ReceivedArtifacts artifacts) {
    this.services = services;
    this.request = request;
    this.state = state;
    this.status = status;
    this.output = output;
    this.artifacts = artifacts;
  }

  /**
   * Starts the staged job, or attaches to it if it was started, and follows it to its result.
   *
   * @param start signed before; null if it was not
   * @param giveUp when to stop reconnecting
   */
  RunnerEvent.Result follow(
      RunnerSession session, Binding binding, @Nullable SignedStart start, Instant giveUp)
      throws PodEndedException, RunnerLostException, InterruptedException {
    state.updateAndGet(ExecutionState::startSent);
    return session.follow(
        binding, start, request.maxStreamBytes(), event -> handle(binding, event), giveUp);
  }

  /**
   * Acknowledges the result, so that the runner exits and its Pod terminates.
   *
   * @return whether the runner received it
   */
  boolean acknowledge() {
    if (!(state.get().step() instanceof ExecutionState.Reported reported)) {
      return false;
    }
    try {
      services.runners().ack(reported.binding(), reported.seq());
      return true;
    } catch (IOException | RunnerRefusedException e) {
      LOG.debug("No ack to the runner of run {}: {}", request.name(), e.getMessage());
      return false;
    }
  }

  private void handle(Binding binding, RunnerEvent event)
      throws IOException, ProtocolViolationException, InterruptedException {
    switch (event) {
      case RunnerEvent.Started started -> started();
      case RunnerEvent.Output data -> output.store(data);
      case RunnerEvent.Artifact artifact -> artifacts.announce(artifact);
      // The ending is written once it is complete; see RunExecution.
      case RunnerEvent.Result result -> {
        String message = result.artifactsMessage();
        if (artifacts.areAnnounced()) {
          output.whileStoring(() -> artifacts.store(binding, message));
        } else {
          artifacts.leftOut(message);
        }
        output.finish(result);
        state.updateAndGet(current -> current.reported(result.seq()));
      }
    }
  }

  /** A runner sends it once, but repeats it after a reconnect. */
  private void started() {
    if (state.getAndUpdate(ExecutionState::started).isStarted()) {
      return;
    }
    status.started(() -> services.events().started(request.run()));
  }
}
