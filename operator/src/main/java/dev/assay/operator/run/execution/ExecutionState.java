package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.Binding;
import java.util.Optional;

/**
 * How far the execution of a run has come. Transitions are pure; two threads make them: that of the
 * execution, and the reconciler's, which cancels.
 *
 * @param step the last step that was completed
 * @param cancelled whether cancellation was requested
 */
record ExecutionState(Step step, boolean cancelled) {
  /** A step of an execution. */
  sealed interface Step {}

  /** The run has no Pod yet, as far as is known. */
  record Unbound() implements Step {}

  /** Another operator process has bound the run, and may have sent the start. */
  record Resuming() implements Step {}

  /**
   * The run is bound to its Pod, which has the job.
   *
   * @param mayHaveStarted whether an earlier operator process may have sent the start
   */
  record Bound(Binding binding, boolean mayHaveStarted) implements Step {}

  /** The start may have been sent. */
  record StartSent(Binding binding) implements Step {}

  /** The runner reported the first instruction of the code. */
  record Started(Binding binding) implements Step {}

  /**
   * The runner reported its result.
   *
   * @param started whether it had reported the first instruction
   * @param seq the number of the last event
   */
  record Reported(Binding binding, boolean started, long seq) implements Step {}

  /** The state in which the execution of a run begins. */
  static ExecutionState of(AnalyticsRun run) {
    return new ExecutionState(RunState.isBound(run) ? new Resuming() : new Unbound(), false);
  }

  ExecutionState cancel() {
    return new ExecutionState(step, true);
  }

  /** Another operator process had bound the run already, which the cache did not show yet. */
  ExecutionState resuming() {
    return step instanceof Unbound ? at(new Resuming()) : this;
  }

  ExecutionState bound(Binding binding) {
    return at(new Bound(binding, mayHaveStarted()));
  }

  ExecutionState startSent() {
    return at(new StartSent(bindingOrThrow()));
  }

  /** Repeated after a reconnect. */
  ExecutionState started() {
    return at(new Started(bindingOrThrow()));
  }

  ExecutionState reported(long seq) {
    return at(new Reported(bindingOrThrow(), isStarted(), seq));
  }

  /** The Pod to which the run is bound; empty before this process knows it. */
  Optional<Binding> binding() {
    return switch (step) {
      case Unbound unused -> Optional.empty();
      case Resuming unused -> Optional.empty();
      case Bound bound -> Optional.of(bound.binding());
      case StartSent sent -> Optional.of(sent.binding());
      case Started started -> Optional.of(started.binding());
      case Reported reported -> Optional.of(reported.binding());
    };
  }

  /** Whether any operator process may have sent the start. */
  boolean mayHaveStarted() {
    return switch (step) {
      case Unbound unused -> false;
      case Bound bound -> bound.mayHaveStarted();
      case Resuming unused -> true;
      case StartSent unused -> true;
      case Started unused -> true;
      case Reported unused -> true;
    };
  }

  /** Whether the runner reported the first instruction of the code. */
  boolean isStarted() {
    return switch (step) {
      case Started unused -> true;
      case Reported reported -> reported.started();
      case Unbound unused -> false;
      case Resuming unused -> false;
      case Bound unused -> false;
      case StartSent unused -> false;
    };
  }

  /** Whether the runner reported its result. */
  boolean isReported() {
    return step instanceof Reported;
  }

  private ExecutionState at(Step next) {
    return new ExecutionState(next, cancelled);
  }

  private Binding bindingOrThrow() {
    return binding().orElseThrow(() -> new IllegalStateException("The run is not bound: " + step));
  }
}
