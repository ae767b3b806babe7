package dev.assay.operator.run.machine;

import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.runner.SignedStart;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has come of an {@link Effect}. */
public sealed interface Event {
  /**
   * The runner has answered.
   *
   * @param missing what it would need to do the work of the run; null if nothing
   */
  record Greeted(Target target, RunnerJob job, @Nullable String missing) implements Event {}

  record NetworkClosed(Target target) implements Event {}

  /** The network is not closed, and the run cannot wait for that any more. */
  record NetworkOpen() implements Event {}

  record SnapshotsRead(Target target, boolean areCurrent) implements Event {}

  /** The runner has the inputs. */
  record Delivered(Target target, List<PinnedInput> inputs) implements Event {}

  /**
   * The inputs did not reach the Pod.
   *
   * @param mayRetry whether the run gets another Pod for that
   */
  record NotDelivered(String cause, boolean mayRetry) implements Event {}

  /** The run was deleted. */
  record RunDeleted() implements Event {}

  /**
   * This execution has bound the run to the Pod.
   *
   * @param podReachable whether the Pod is not about to end
   * @param start signed meanwhile; null if it was not
   */
  record BoundNow(Target target, Staging staging, boolean podReachable, @Nullable SignedStart start)
      implements Event {}

  /**
   * Another one has bound it to this runner.
   *
   * @param hasItsSnapshots whether with those that it would read here
   */
  record BoundBefore(
      Target target, Staging staging, boolean hasItsSnapshots, @Nullable SignedStart start)
      implements Event {}

  /** The run is not bound to the Pod, which has another run. */
  record PodOccupied() implements Event {}

  /**
   * A write found that the run has ended, was deleted, or is bound otherwise.
   *
   * @param isBoundHere whether it is bound to the Pod all the same
   */
  record NotOurs(boolean isBoundHere) implements Event {}

  /** The runner starts nothing any more. */
  record Refuses(String cause) implements Event {}

  /** The runner has not answered, or may have started something. */
  record MayHaveStarted() implements Event {}

  record TakenOver(Target target, @Nullable SignedStart start) implements Event {}

  /**
   * The run waits for another Pod.
   *
   * @param byThis false if another execution has taken it from the Pod, and may be about to bind it
   */
  record Unbound(Effect.Unbind effect, boolean byThis) implements Event {}

  record NotUnbound(Effect.Unbind effect, boolean isBoundHere) implements Event {}

  /** The runner has reported its result. */
  record ResultReported() implements Event {}

  /** The runner was told to refuse before the start arrived. */
  record StartRefused(String message) implements Event {}

  /**
   * The worker did not start.
   *
   * @param message what the run waits for if it gets another Pod
   */
  record CauseFound(String cause, String message) implements Event {}

  /** The result stands. */
  record NoCauseFound() implements Event {}

  record StartForgotten() implements Event {}

  /** The run cannot be done. */
  record Impossible(RunReason reason, String message) implements Event {}

  /** The runner does not answer, or is not what the run needs. */
  record RunnerLost(String message) implements Event {}

  record PodEnded() implements Event {}

  /**
   * The ending is written.
   *
   * @param isDeleted whether the run was deleted instead
   */
  record Ended(boolean isDeleted) implements Event {}

  /**
   * What follows from the ending is done.
   *
   * @param podEndsByItself whether the Pod needs no deletion
   */
  record Concluded(boolean isDeleted, boolean podEndsByItself) implements Event {}

  /**
   * An effect failed unexpectedly, or the operator is shutting down.
   *
   * @param mayBeBound whether the run is bound to the Pod, or a bind got no response, so that the
   *     API server may have written it, or may yet
   */
  record Failed(boolean mayBeBound) implements Event {}
}
