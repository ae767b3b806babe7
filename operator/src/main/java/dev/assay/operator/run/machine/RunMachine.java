package dev.assay.operator.run.machine;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.run.machine.Effect.Removal;
import dev.assay.operator.run.machine.Effect.Why;
import dev.assay.operator.run.machine.State.Step;
import dev.assay.operator.runner.FailedStart;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.SignedStart;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an execution of a run in a Pod does next. Pure: {@code RunExecution} performs each
 * effect and reports the outcome as an event.
 *
 * <p>Code is started only after the write that binds the run to the Pod, or the one that takes over
 * a run that another execution has bound. A run leaves a warm Pod only if the Pod will not start
 * it; such a Pod is deleted only once it refuses to start anything.
 *
 * @param isWarm whether the Pod is one of a pool; if not, it is the run's own
 */
public record RunMachine(boolean isWarm) {
  /** Why a run leaves a warm Pod; completes the sentence of {@link #messageOf}. */
  public static final String OCCUPIED = "another run has it";

  public static final String STAGED_BY_ANOTHER = "another operator has staged the run in it";

  public static final String DATASETS_CHANGED = "a dataset has changed meanwhile";

  public static final String REFUSES = "it was told to start nothing";

  private static final String NOT_RELEASABLE =
      "A dataset has changed, and its warm Pod, from a release before 0.3, cannot be released:"
          + " send the code again";

  /**
   * What is decided.
   *
   * @param step the step that the execution is at now
   */
  public record Transition(Step step, Effect effect) {}

  /**
   * The first effect.
   *
   * @param idle what the runner of a warm Pod answered before the Pod was given to the run; null
   *     for a Pod of its own, and for a run that is bound already
   */
  public Effect begin(@Nullable Hello idle) {
    return idle == null ? new Effect.Greet() : new Effect.BindWarm(idle);
  }

  /** What follows from an event. */
  public Transition next(State state, Event event) {
    Step step = state.step();
    return switch (event) {
      case Event.Greeted greeted ->
          step instanceof State.Claimed ? claim(step, greeted) : resume(step, greeted);
      case Event.NetworkClosed closed -> at(step, new Effect.Deliver(closed.target()));
      case Event.NetworkOpen _,
          Event.RunDeleted _,
          Event.MayHaveStarted _,
          Event.StartForgotten _ ->
          again(step);
      case Event.SnapshotsRead read -> snapshotsRead(step, read);
      case Event.Delivered delivered ->
          at(step, new Effect.Bind(delivered.target(), delivered.inputs()));
      case Event.NotDelivered failed -> notDelivered(step, failed);
      case Event.BoundNow bound -> bound(bound);
      case Event.BoundBefore bound -> boundBefore(step, bound);
      case Event.PodOccupied _ -> nextPod(new State.Occupied(), OCCUPIED);
      case Event.NotOurs not -> notOurs(not.isBoundHere());
      case Event.Refuses refuses -> release(step, Why.NOT_TAKEN, refuses.cause());
      case Event.TakenOver taken -> follow(taken.target(), taken.start(), false);
      case Event.Unbound unbound -> unbound(unbound);
      case Event.NotUnbound not -> notUnbound(step, not);
      case Event.ResultReported _ -> reported(state);
      case Event.StartRefused refused -> startRefused(step, refused);
      case Event.CauseFound found -> causeFound(state, found);
      case Event.NoCauseFound _ -> end(step, new Effect.Result());

      case Event.Impossible impossible ->
          end(step, new Effect.NoResult(impossible.reason(), impossible.message()));
      case Event.RunnerLost lost -> lost(step, lost.message());
      case Event.PodEnded _ -> podEnded(step);
      case Event.Ended ended -> at(step, new Effect.Conclude(ended.isDeleted()));
      case Event.Concluded concluded -> concluded(state, concluded);
      case Event.Failed failed ->
          failed.mayBeBound() ? stop(step, Outcome.AGAIN, Removal.NONE, null) : again(step);
    };
  }

  /** A run that is not bound yet, in a Pod of its own. */
  private Transition claim(Step step, Event.Greeted greeted) {
    return switch (greeted.job()) {
      // Such a runner takes no run that is unbound.
      case STARTED, OF_ANOTHER_RUN, REFUSES_ALL, RESTARTED ->
          stop(step, Outcome.AGAIN, Removal.DELETE_UNLESS_BOUND, null);
      case NONE, STAGED, OTHER_SNAPSHOTS ->
          greeted.missing() == null
              ? at(step, new Effect.AwaitClosedNetwork(greeted.target()))
              : cannotDo(step, greeted.missing());
    };
  }

  /**
   * The execution that bound the run may have started it. It has also checked the network of the
   * Pod, so that is not repeated.
   */
  private Transition resume(Step step, Event.Greeted greeted) {
    Target target = greeted.target();
    return switch (greeted.job()) {
      case RESTARTED ->
          end(
              step,
              new Effect.NoResult(RunReason.RunnerLost, "The runner was restarted during the run"));
      case REFUSES_ALL -> release(step, Why.NOT_TAKEN, REFUSES);
      // A runner takes one run, so that no process can have started this one there.
      case OF_ANOTHER_RUN -> release(step, Why.OCCUPIED, OCCUPIED);
      case OTHER_SNAPSHOTS ->
          target.canRefuse()
              ? at(step, new Effect.Refuse(target, STAGED_BY_ANOTHER))
              // Nobody starts a job on other snapshots than those in the status.
              : release(step, Why.NOT_TAKEN, STAGED_BY_ANOTHER);
      case STARTED -> at(step, new Effect.Deliver(target));
      case NONE, STAGED -> {
        if (greeted.missing() != null) {
          yield cannotDo(step, greeted.missing());
        }
        yield at(
            step,
            greeted.job() == RunnerJob.NONE
                ? new Effect.ReadSnapshots(target)
                : new Effect.Deliver(target));
      }
    };
  }

  private static Transition cannotDo(Step step, String message) {
    return end(step, new Effect.NoResult(RunReason.StartFailed, message));
  }

  private Transition snapshotsRead(Step step, Event.SnapshotsRead read) {
    if (read.areCurrent()) {
      return at(step, new Effect.Deliver(read.target()));
    }
    return read.target().canRefuse()
        ? at(step, new Effect.Refuse(read.target(), DATASETS_CHANGED))
        : end(step, new Effect.NoResult(RunReason.RunnerLost, NOT_RELEASABLE));
  }

  /**
   * The run gets another Pod, as often as after other failures of a start. One that is bound tries
   * again in its Pod: who has bound it may have started it there.
   */
  private Transition notDelivered(Step step, Event.NotDelivered failed) {
    if (!failed.mayRetry()) {
      return cannotDo(step, "The code was not started: " + failed.cause());
    }
    return step instanceof State.Claimed
        ? stop(step, Outcome.AGAIN, Removal.DELETE_UNLESS_BOUND, null)
        : again(step);
  }

  private Transition bound(Event.BoundNow bound) {
    Step step = new State.Bound();
    return switch (bound.staging()) {
      case Staging.Staged _ when isWarm && !bound.podReachable() ->
          giveBack(step, Why.NOT_TAKEN, "it is about to end");
      case Staging.Staged _ -> follow(bound.target(), bound.start(), true);
      case Staging.Failed failed ->
          giveBack(step, failed.byAnotherRun() ? Why.OCCUPIED : Why.NOT_TAKEN, failed.cause());
      case Staging.Invalid invalid ->
          end(step, new Effect.NoResult(RunReason.InvalidSpec, invalid.message()));
      case Staging.Refused refused ->
          cannotDo(step, "The code was not started: the runner refused it with " + refused.code());
      case Staging.Unanswered unanswered ->
          end(
              step,
              bound.podReachable()
                  ? new Effect.NoResult(RunReason.RunnerLost, notFollowed(unanswered.message()))
                  : new Effect.PodEnded());
    };
  }

  /**
   * Another execution has bound the run to the same runner, and may be running it. What this one
   * has seen of the Pod ends no run that was not known to be bound: the reconciler resumes it from
   * its status, with the snapshots there.
   */
  private Transition boundBefore(Step before, Event.BoundBefore bound) {
    Step step = new State.Resuming();
    boolean wasBound = !(before instanceof State.Claimed);
    return switch (bound.staging()) {
      case Staging.Staged _ when bound.hasItsSnapshots() ->
          at(step, new Effect.TakeOver(bound.target(), bound.start()));
      case Staging.Invalid invalid when wasBound ->
          end(step, new Effect.NoResult(RunReason.InvalidSpec, invalid.message()));
      case Staging.Refused refused when wasBound && refused.isOfTheJob() ->
          end(step, new Effect.NoResult(RunReason.RunnerLost, notFollowed(refused.message())));
      case Staging.Staged _,
          Staging.Failed _,
          Staging.Invalid _,
          Staging.Refused _,
          Staging.Unanswered _ ->
          again(step);
    };
  }

  private static Transition follow(Target target, @Nullable SignedStart start, boolean isNew) {
    return at(new State.StartSent(target.binding()), new Effect.Follow(target, start, isNew));
  }

  private Transition reported(State state) {
    return state.step() instanceof State.Reported reported
            && !reported.started()
            && !state.cancelled()
            && FailedStart.retryableCause(reported.result(), null).isPresent()
        ? at(reported, new Effect.FindCause())
        : end(state.step(), new Effect.Result());
  }

  private static Transition causeFound(State state, Event.CauseFound found) {
    return state.cancelled()
        ? end(state.step(), new Effect.Result())
        : at(
            state.step(),
            new Effect.Unbind(false, Why.START_FAILED, found.cause(), found.message()));
  }

  private Transition startRefused(Step step, Event.StartRefused refused) {
    return isWarm
        ? release(step, Why.START_REFUSED, REFUSES)
        // Operators never tell the Pod of a run to refuse, so the runner is at fault.
        : end(step, new Effect.NoResult(RunReason.RunnerLost, notFollowed(refused.message())));
  }

  /** Takes back the binding that this execution has made, before it sends a start. */
  private static Transition giveBack(Step step, Why why, String cause) {
    return at(step, new Effect.Unbind(true, why, cause, messageOf(cause)));
  }

  /** Takes the run from a Pod that has not started it and will not start it. */
  private static Transition release(Step step, Why why, String cause) {
    return at(step, new Effect.Unbind(false, why, cause, messageOf(cause)));
  }

  private Transition unbound(Event.Unbound unbound) {
    Effect.Unbind effect = unbound.effect();
    return switch (effect.why()) {
      case NOT_TAKEN -> nextPod(new State.Claimed(), effect.cause());
      case OCCUPIED -> nextPod(new State.Occupied(), effect.cause());
      case START_REFUSED -> nextPod(new State.Released(), effect.cause());
      case START_FAILED ->
          at(
              new State.Released(),
              new Effect.ForgetStart(unbound.byThis(), effect.cause(), effect.message()));
    };
  }

  private Transition notUnbound(Step step, Event.NotUnbound not) {
    return switch (not.effect().why()) {
      case OCCUPIED -> nextPod(new State.Occupied(), OCCUPIED);
      case START_FAILED -> end(step, new Effect.Result());
      case NOT_TAKEN, START_REFUSED -> notOurs(not.isBoundHere());
    };
  }

  private Transition notOurs(boolean isBoundHere) {
    return again(isBoundHere ? new State.Resuming() : new State.Claimed());
  }

  /** Ends the run, unless it has yet to be bound to a warm Pod: then it gets the next one. */
  private Transition lost(Step step, String message) {
    return mayHaveNextPod(step)
        ? nextPod(step, message)
        : end(step, new Effect.NoResult(RunReason.RunnerLost, message));
  }

  private Transition podEnded(Step step) {
    if (mayHaveNextPod(step)) {
      return nextPod(step, "it has ended");
    }
    // Before the bind, the reconciler handles the termination of the Pod.
    return step instanceof State.Claimed ? again(step) : end(step, new Effect.PodEnded());
  }

  /** Whether the run was given a warm Pod that it is not bound to, so that no code can start. */
  private boolean mayHaveNextPod(Step step) {
    return isWarm && step instanceof State.Claimed;
  }

  private Transition concluded(State state, Event.Concluded concluded) {
    Outcome outcome = concluded.isDeleted() ? Outcome.DELETED : Outcome.ENDED;
    if (concluded.podEndsByItself() && !concluded.isDeleted()) {
      return stop(state.step(), outcome, Removal.NONE, null);
    }
    // The run ended before its start. Meanwhile another leader may have given the warm Pod to
    // another run, or started this one in it.
    boolean mayHaveOther = isWarm && !state.mayHaveStarted();
    return stop(state.step(), outcome, mayHaveOther ? Removal.REFUSE_FIRST : Removal.DELETE, null);
  }

  private Transition again(Step step) {
    return stop(step, Outcome.AGAIN, removal(step), null);
  }

  private Transition nextPod(Step step, String cause) {
    return stop(step, Outcome.NEXT_POD, removal(step), cause);
  }

  /** What becomes of the Pod of a run that has not ended. */
  private Removal removal(Step step) {
    return switch (step) {
      // The runner may have the job of this run, and then takes no other.
      case State.Claimed _ -> isWarm ? Removal.REFUSE_FIRST_UNLESS_BOUND : Removal.NONE;
      case State.Released _ -> Removal.DELETE;
      case State.Occupied _,
          State.Bound _,
          State.Resuming _,
          State.StartSent _,
          State.Started _,
          State.Reported _ ->
          Removal.NONE;
    };
  }

  private static Transition end(Step step, Effect.Cause cause) {
    return at(step, new Effect.End(cause));
  }

  private static Transition stop(
      Step step, Outcome outcome, Removal removal, @Nullable String cause) {
    return at(step, new Effect.Stop(outcome, removal, cause));
  }

  private static Transition at(Step step, Effect effect) {
    return new Transition(step, effect);
  }

  /** Why a run whose runner cannot be followed is lost. */
  public static String notFollowed(String message) {
    return "The run could not be followed: " + message;
  }

  /** Why a run leaves its warm Pod, as its status says it. */
  private static String messageOf(String cause) {
    return "Its warm Pod did not take the code: " + cause;
  }
}
