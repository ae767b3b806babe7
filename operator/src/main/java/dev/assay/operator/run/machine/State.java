package dev.assay.operator.run.machine;

import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerEvent;
import java.util.Optional;

/**
 * How far the execution of a run in a Pod has come. Two threads change it: that of the execution,
 * and the reconciler's, which cancels.
 *
 * @param step how far the execution may have come; set before the effect that depends on it
 * @param cancelled whether cancellation was requested
 */
public record State(Step step, boolean cancelled) {
  /** A step of an execution. */
  public sealed interface Step {}

  /** The run was given the Pod, and is not bound to it, as far as is known. */
  public record Claimed() implements Step {}

  /** The Pod has another run, and must be left to it. */
  public record Occupied() implements Step {}

  /** This execution has bound the run to the Pod, and sent no start. */
  public record Bound() implements Step {}

  /** Another execution has bound the run to the Pod, and may have sent the start. */
  public record Resuming() implements Step {}

  /** The start may have been sent, by this execution or an earlier one. */
  public record StartSent(Binding binding) implements Step {}

  /** The runner reported the first instruction of the code. */
  public record Started(Binding binding) implements Step {}

  /**
   * The runner reported its result.
   *
   * @param started whether it had reported the first instruction
   */
  public record Reported(Binding binding, boolean started, RunnerEvent.Result result)
      implements Step {}

  /** This execution has unbound the run. The Pod can serve no run any more. */
  public record Released() implements Step {}

  /** The state in which an execution begins. */
  public static State begin(boolean isBound) {
    return new State(isBound ? new Resuming() : new Claimed(), false);
  }

  public State cancel() {
    return new State(step, true);
  }

  public State at(Step next) {
    return new State(next, cancelled);
  }

  /** Idempotent: the runner repeats the event after a reconnect. */
  public State started() {
    return at(new Started(bindingOrThrow()));
  }

  public State reported(RunnerEvent.Result result) {
    return at(new Reported(bindingOrThrow(), isStarted(), result));
  }

  /** The runner that may have the start; empty before this process sends it. */
  public Optional<Binding> binding() {
    return switch (step) {
      case StartSent sent -> Optional.of(sent.binding());
      case Started started -> Optional.of(started.binding());
      case Reported reported -> Optional.of(reported.binding());
      case Claimed _, Occupied _, Bound _, Resuming _, Released _ -> Optional.empty();
    };
  }

  /** Whether any operator process may have sent the start. */
  public boolean mayHaveStarted() {
    return switch (step) {
      case Resuming _, StartSent _, Started _, Reported _ -> true;
      case Claimed _, Occupied _, Bound _, Released _ -> false;
    };
  }

  /** Whether the runner reported the first instruction of the code. */
  public boolean isStarted() {
    return step instanceof Started || (step instanceof Reported reported && reported.started());
  }

  /** Whether the runner reported its result. */
  public boolean isReported() {
    return step instanceof Reported;
  }

  private Binding bindingOrThrow() {
    return binding().orElseThrow(() -> new IllegalStateException("No start was sent: " + step));
  }
}
