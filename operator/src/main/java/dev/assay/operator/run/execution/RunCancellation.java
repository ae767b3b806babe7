package dev.assay.operator.run.execution;

import dev.assay.operator.run.machine.State;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerRefusedException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels the code of a run, once: through its runner, or else by deleting its Pod. */
final class RunCancellation {
  private static final Logger LOG = LoggerFactory.getLogger(RunCancellation.class);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<State> state;
  private final ReceivedOutput output;

  RunCancellation(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<State> state,
      ReceivedOutput output) {
    this.services = services;
    this.request = request;
    this.state = state;
    this.output = output;
  }

  /** Requests the cancellation; a run that is not bound yet is cancelled once it is. */
  void request() {
    State before = state.getAndUpdate(State::cancel);
    if (!before.cancelled()) {
      before.binding().ifPresent(bound -> services.threads().execute(() -> send(bound)));
    }
  }

  /** Cancels the code in the Pod that the run is bound to. */
  void send(Binding bound) {
    try {
      services.runners().cancel(bound);
    } catch (IOException | RunnerRefusedException e) {
      if (output.isStoreUnavailable()) {
        LOG.info("Cancelling run {} failed; its Pod is kept for its output", request.name());
        return;
      }
      LOG.info("Cancelling run {} by deleting its Pod: {}", request.name(), e.getMessage());
      deletePod();
    }
  }

  private void deletePod() {
    try {
      services.pods().delete(request.pod());
    } catch (RuntimeException e) {
      LOG.warn(
          "Cancelling run {} failed; it runs until its deadline: {}", request.name(), e.toString());
    }
  }
}
