package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.run.machine.State;
import dev.assay.operator.run.results.ReceivedArtifacts;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.runner.SignedStart;
import dev.assay.operator.tool.RunToolCalls;
import dev.assay.operator.tool.RunToolPolicy;
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
  private final AtomicReference<State> state;
  private final RunStatusWriter status;
  private final ReceivedOutput output;
  private final ReceivedArtifacts artifacts;
  private volatile @Nullable RunToolCalls calls;

  RunFollower(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<State> state,
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
   * @throws RunnerRefusedException if the runner was told to refuse: it has not started the job
   */
  void follow(RunnerSession session, Binding binding, @Nullable SignedStart start, Instant giveUp)
      throws PodEndedException, RunnerLostException, RunnerRefusedException, InterruptedException {
    RunToolPolicy tools = request.tools();
    if (tools != null) {
      calls = callsOf(binding, tools, giveUp);
    }
    session.follow(
        binding, start, request.maxStreamBytes(), event -> handle(binding, event, giveUp), giveUp);
  }

  /**
   * Acknowledges the result, so that the runner exits and its Pod terminates.
   *
   * @return whether the runner received it
   */
  boolean acknowledge() {
    if (!(state.get().step() instanceof State.Reported reported)) {
      return false;
    }
    try {
      services.runners().ack(reported.binding(), reported.result().seq());
      return true;
    } catch (IOException | RunnerRefusedException e) {
      LOG.debug("No ack to the runner of run {}: {}", request.name(), e.getMessage());
      return false;
    }
  }

  private void handle(Binding binding, RunnerEvent event, Instant giveUp)
      throws IOException, ProtocolViolationException, InterruptedException {
    switch (event) {
      case RunnerEvent.Started started -> started();
      case RunnerEvent.Output data -> output.store(data);
      case RunnerEvent.Artifact artifact -> artifacts.announce(artifact);
      case RunnerEvent.ToolCall call -> toolCall(binding, call, giveUp);
      // The ending is written once it is complete; see RunConclusion.
      case RunnerEvent.Result result -> {
        String message = result.artifactsMessage();
        if (artifacts.areAnnounced()) {
          output.whileStoring(() -> artifacts.store(binding, message));
        } else {
          artifacts.leftOut(message);
        }
        RunToolCalls made = calls;
        if (made != null) {
          output.whileStoring(made::finish);
          made.closeAtGateway();
        }
        output.finish(result);
        state.updateAndGet(current -> current.reported(result));
      }
    }
  }

  private RunToolCalls callsOf(Binding binding, RunToolPolicy policy, Instant giveUp) {
    return services.tools().ofRun(binding, request.namespace(), request.runUid(), policy, giveUp);
  }

  /** An earlier operator process may have seen it. */
  private Instant firstInstruction() {
    RunTimings timings = RunState.statusOf(request.run()).timings();
    return timings == null || timings.started() == null
        ? services.clock().instant()
        : Instant.parse(timings.started());
  }

  /** It is answered beside the events that follow. */
  private void toolCall(Binding binding, RunnerEvent.ToolCall call, Instant giveUp)
      throws IOException, ProtocolViolationException, InterruptedException {
    RunToolCalls made = calls;
    if (made == null && RunState.isBound(request.run())) {
      // Its class may have offered tools when the code was started.
      made = callsOf(binding, RunToolPolicy.NOTHING, giveUp);
      made.endAt(firstInstruction().plus(request.limits().timeout()));
      calls = made;
    }
    if (made == null) {
      throw new ProtocolViolationException("the worker has called a tool, and its job has none");
    }
    output.whileStoring(made::load);
    made.take(call);
  }

  /** Calls are not sent or answered anymore: the run is not followed here. */
  void stopCalls() {
    RunToolCalls made = calls;
    if (made != null) {
      made.stop();
    }
  }

  /** How many calls of tools the code has made; null if it could make none, or that is unknown. */
  @Nullable ToolCallCounts callCounts() {
    RunToolCalls made = calls;
    return made == null ? null : made.counts().orElse(null);
  }

  /** The run has ended without a result. */
  void endCalls() {
    RunToolCalls made = calls;
    if (made != null && !state.get().isReported()) {
      made.end();
    }
  }

  /** A runner sends it once, but repeats it after a reconnect. */
  private void started() {
    RunToolCalls made = calls;
    if (made != null) {
      made.endAt(firstInstruction().plus(request.limits().timeout()));
    }
    if (state.getAndUpdate(State::started).isStarted()) {
      return;
    }
    status.started(() -> services.events().started(request.run()));
  }
}
