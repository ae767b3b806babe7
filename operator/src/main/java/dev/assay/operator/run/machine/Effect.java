package dev.assay.operator.run.machine;

import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.SignedStart;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an execution is to do next. Each ends with one {@link Event}. */
public sealed interface Effect {
  /** Ask the runner what it has. */
  record Greet() implements Effect {}

  /** Wait until the network of the Pod is closed. */
  record AwaitClosedNetwork(Target target) implements Effect {}

  /** Read whether the snapshots that a warm Pod is to open are those that its datasets have now. */
  record ReadSnapshots(Target target) implements Effect {}

  /** Send the inputs of the run. */
  record Deliver(Target target) implements Effect {}

  /** Stage the job, unless the runner has it, and bind the run to the Pod at the same time. */
  record Bind(Target target, List<PinnedInput> inputs) implements Effect {}

  /**
   * The same with a warm Pod that was just given to the run, which is greeted meanwhile.
   *
   * @param idle what its runner answered while it waited
   */
  record BindWarm(Hello idle) implements Effect {}

  /**
   * Tell the runner to start nothing any more.
   *
   * @param cause why the run is to leave it
   */
  record Refuse(Target target, String cause) implements Effect {}

  /** Write that this execution is the one that may start the code. */
  record TakeOver(Target target, @Nullable SignedStart start) implements Effect {}

  /**
   * Send the start, or attach to what was started, and follow it to its result.
   *
   * @param start signed before; null if it was not
   * @param isNew whether this execution has bound the run
   */
  record Follow(Target target, @Nullable SignedStart start, boolean isNew) implements Effect {}

  /** Find out why the worker did not start, and whether the run gets another Pod for that. */
  record FindCause() implements Effect {}

  /**
   * Write that the run waits for another Pod.
   *
   * @param byBinder only if this execution has made the binding
   * @param cause why, for the log
   * @param message why, for the status
   */
  record Unbind(boolean byBinder, Why why, String cause, String message) implements Effect {}

  /** Why a run is taken from its Pod. */
  enum Why {
    /** The Pod has not taken its job, or must not start it. */
    NOT_TAKEN,
    /** The Pod has another run. */
    OCCUPIED,
    /** The runner refused the start. */
    START_REFUSED,
    /** The worker did not start, for a cause outside the run. */
    START_FAILED
  }

  /**
   * Forget the output of a worker that did not start, and acknowledge its result.
   *
   * @param hasOutput false if another execution has released the run: there may be output of its
   *     next Pod
   * @param message what the run waits for
   */
  record ForgetStart(boolean hasOutput, String cause, String message) implements Effect {}

  /** Write the ending. */
  record End(Cause cause) implements Effect {}

  /** What an ending follows from. */
  sealed interface Cause {}

  /** The run cannot be done, or its runner cannot be used or followed any more. */
  record NoResult(RunReason reason, String message) implements Cause {}

  /** The Pod ended without a result. */
  record PodEnded() implements Cause {}

  /** The result that the runner reported. */
  record Result() implements Cause {}

  /**
   * Do what follows from an ending that is written: store the end of the output, or delete it, and
   * acknowledge the result.
   *
   * @param isDeleted whether the run was deleted instead
   */
  record Conclude(boolean isDeleted) implements Effect {}

  /**
   * End the execution.
   *
   * @param cause why the Pod is replaced; null if it is not
   */
  record Stop(Outcome outcome, Removal removal, @Nullable String cause) implements Effect {}

  /** What has become of the run. */
  enum Outcome {
    ENDED,
    /** It was deleted. */
    DELETED,
    /** It can be given the next Pod at once: this one was warm, and has not taken it. */
    NEXT_POD,
    /** The reconciler decides on it again. */
    AGAIN
  }

  /** What is to become of the Pod at the end of an execution. */
  enum Removal {
    /** It is left to its run, to another one, or to the reconciler. */
    NONE,
    DELETE,
    /** Deleted, unless the run is bound. */
    DELETE_UNLESS_BOUND,
    /**
     * Deleted once it refuses to start anything, since another leader may start something there.
     */
    REFUSE_FIRST,
    /** The same, unless the run is bound to it. */
    REFUSE_FIRST_UNLESS_BOUND
  }
}
