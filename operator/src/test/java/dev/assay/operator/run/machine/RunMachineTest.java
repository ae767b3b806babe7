package dev.assay.operator.run.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.run.machine.Effect.Removal;
import dev.assay.operator.run.machine.Effect.Why;
import dev.assay.operator.run.machine.RunMachine.Transition;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.signing.SigningKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Walks every way that an execution can take: after each effect, everything that may come of it,
 * with and without a cancellation.
 */
class RunMachineTest {
  private static final Binding BINDING =
      new Binding(
          RunnerAddress.of(Samples.runningPod(7333)),
          Samples.NAMESPACE,
          Samples.RUN_UID,
          Samples.POD_UID,
          "nonce",
          SigningKey.generate());

  private static final Target TARGET = new Target(BINDING, FakeRunner.idleHello(Hello.REFUSE));

  private static final Target OLD_TARGET = new Target(BINDING, FakeRunner.idleHello(Hello.EGRESS));

  private static final RunnerEvent.Result NOT_STARTED =
      result(
          RunnerEvent.Outcome.StartFailed,
          new RunnerEvent.CodeError("OSError", "cannot fork", null, null, null, null));

  private static final RunnerEvent.Result SUCCEEDED = result(RunnerEvent.Outcome.Succeeded, null);

  private static RunnerEvent.Result result(
      RunnerEvent.Outcome outcome, RunnerEvent.@Nullable CodeError error) {
    return new RunnerEvent.Result(
        1, outcome, error, null, null, 0, 0, null, null, null, null, 0, null);
  }

  /**
   * A place on a way: what is to be done, and how it came to that.
   *
   * @param done the effects before it, each of which has led to the event in the same place
   */
  private record Place(
      boolean isWarm,
      boolean wasBound,
      State state,
      Effect effect,
      List<Effect> done,
      List<Event> events) {
    Event last() {
      return events.getLast();
    }

    boolean has(Predicate<Event> event) {
      return events.stream().anyMatch(event);
    }

    boolean wasStarted() {
      return done.stream().anyMatch(Effect.Follow.class::isInstance);
    }

    boolean hasEnded() {
      return has(Event.Ended.class::isInstance);
    }

    private static List<Place> all() {
      List<Place> open = new ArrayList<>(beginnings());
      List<Place> found = new ArrayList<>();
      while (!open.isEmpty()) {
        Place place = open.removeLast();
        assertThat(place.events()).as("every way ends: %s", place).hasSizeLessThan(15);
        found.add(place);
        open.addAll(after(place));
      }
      return found;
    }
  }

  private static List<Place> beginnings() {
    return Stream.of(
            place(false, false, null),
            place(false, true, null),
            place(true, true, null),
            place(true, false, TARGET.hello()))
        .toList();
  }

  private static Place place(boolean isWarm, boolean isBound, @Nullable Hello idle) {
    return new Place(
        isWarm,
        isBound,
        State.begin(isBound),
        new RunMachine(isWarm).begin(idle),
        List.of(),
        List.of());
  }

  /** What may come of an effect, and the state that it leaves. */
  private static List<Place> after(Place place) {
    List<Place> next = new ArrayList<>();
    for (State state : states(place)) {
      for (Event event : events(place, state)) {
        Transition transition = new RunMachine(place.isWarm()).next(state, event);
        List<Event> events = new ArrayList<>(place.events());
        events.add(event);
        List<Effect> done = new ArrayList<>(place.done());
        done.add(place.effect());
        next.add(
            new Place(
                place.isWarm(),
                place.wasBound(),
                state.at(transition.step()),
                transition.effect(),
                List.copyOf(done),
                List.copyOf(events)));
      }
    }
    return next;
  }

  /** The code runs while it is followed; anybody may cancel at any time. */
  private static List<State> states(Place place) {
    State before = place.state();
    List<State> states = new ArrayList<>();
    for (State cancelled :
        before.cancelled() ? List.of(before) : List.of(before, before.cancel())) {
      if (place.effect() instanceof Effect.Follow) {
        states.add(cancelled);
        states.add(cancelled.started());
        states.add(cancelled.reported(NOT_STARTED));
        states.add(cancelled.reported(SUCCEEDED));
        states.add(cancelled.started().reported(SUCCEEDED));
      } else {
        states.add(cancelled);
      }
    }
    return states;
  }

  private static Collection<Event> events(Place place, State state) {
    List<Event> events = new ArrayList<>();
    Consumer<Event> may = events::add;
    may.accept(new Event.Failed(false));
    may.accept(new Event.Failed(true));
    switch (place.effect()) {
      case Effect.Greet _ -> {
        for (RunnerJob job : RunnerJob.values()) {
          for (Target target : List.of(TARGET, OLD_TARGET)) {
            if (job != RunnerJob.RESTARTED || place.wasBound()) {
              may.accept(new Event.Greeted(target, job, null));
              may.accept(new Event.Greeted(target, job, "It is too old"));
            }
          }
        }
        noAnswer(may);
      }
      case Effect.AwaitClosedNetwork await -> {
        may.accept(new Event.NetworkClosed(await.target()));
        may.accept(new Event.NetworkOpen());
      }
      case Effect.ReadSnapshots read -> {
        may.accept(new Event.SnapshotsRead(read.target(), true));
        may.accept(new Event.SnapshotsRead(read.target(), false));
      }
      case Effect.Deliver deliver -> {
        may.accept(new Event.Delivered(deliver.target(), List.of()));
        may.accept(new Event.RunDeleted());
        if (!place.isWarm()) {
          // Warm Pods get no runs with inputs.
          may.accept(new Event.NotDelivered("no room", true));
          may.accept(new Event.NotDelivered("no room", false));
          may.accept(new Event.Impossible(RunReason.ArtifactNotFound, "It is gone"));
        }
      }
      case Effect.Bind bind -> {
        for (Staging staging :
            List.of(
                new Staging.Staged(),
                new Staging.Invalid("[1"),
                new Staging.Refused("TooLarge", true, "too large"),
                new Staging.Refused("Expired", false, "late"),
                new Staging.Unanswered("reset"))) {
          answersOfBind(may, place, bind.target(), staging);
        }
        may.accept(new Event.NotOurs(true));
        may.accept(new Event.NotOurs(false));
      }
      case Effect.BindWarm _ -> {
        for (Staging staging :
            List.of(
                new Staging.Staged(),
                new Staging.Failed("it has ended", false),
                new Staging.Failed(RunMachine.OCCUPIED, true),
                new Staging.Invalid("[1"))) {
          answersOfBind(may, place, TARGET, staging);
        }
        may.accept(new Event.PodOccupied());
        may.accept(new Event.NotOurs(true));
        may.accept(new Event.NotOurs(false));
        may.accept(new Event.Impossible(RunReason.StartFailed, "It is too old"));
        may.accept(new Event.RunnerLost("The key was removed"));
      }
      case Effect.Refuse refuse -> {
        may.accept(new Event.Refuses(refuse.cause()));
        may.accept(new Event.MayHaveStarted());
        may.accept(new Event.RunnerLost("refused"));
      }
      case Effect.TakeOver taking -> {
        may.accept(new Event.TakenOver(taking.target(), null));
        may.accept(new Event.NotOurs(true));
        may.accept(new Event.NotOurs(false));
      }
      case Effect.Follow _ -> {
        if (state.isReported()) {
          may.accept(new Event.ResultReported());
        } else if (!state.isStarted()) {
          may.accept(new Event.StartRefused("Refused"));
        }
        noAnswer(may);
      }
      case Effect.FindCause _ -> {
        may.accept(new Event.CauseFound("cannot fork", "Another Pod"));
        may.accept(new Event.NoCauseFound());
      }
      case Effect.ForgetStart _ -> may.accept(new Event.StartForgotten());
      case Effect.Unbind unbind -> {
        may.accept(new Event.Unbound(unbind, true));
        may.accept(new Event.Unbound(unbind, false));
        may.accept(new Event.NotUnbound(unbind, true));
        may.accept(new Event.NotUnbound(unbind, false));
      }
      case Effect.End _ -> {
        may.accept(new Event.Ended(true));
        may.accept(new Event.Ended(false));
        may.accept(new Event.NotOurs(true));
        may.accept(new Event.NotOurs(false));
      }
      case Effect.Conclude conclude -> {
        may.accept(new Event.Concluded(conclude.isDeleted(), true));
        may.accept(new Event.Concluded(conclude.isDeleted(), false));
      }
      case Effect.Stop _ -> events.clear();
    }
    return events;
  }

  private static void noAnswer(Consumer<Event> may) {
    may.accept(new Event.PodEnded());
    may.accept(new Event.RunnerLost("It does not answer"));
  }

  private static void answersOfBind(
      Consumer<Event> may, Place place, Target target, Staging staging) {
    if (!place.wasBound()) {
      may.accept(new Event.BoundNow(target, staging, true, null));
      may.accept(new Event.BoundNow(target, staging, false, null));
    }
    may.accept(new Event.BoundBefore(target, staging, true, null));
    may.accept(new Event.BoundBefore(target, staging, false, null));
  }

  /** Every place on every way. */
  private static final List<Place> PLACES = Place.all();

  private static void everywhere(Predicate<Place> where, Predicate<Place> holds) {
    List<Place> found = PLACES.stream().filter(where).toList();
    assertThat(found).isNotEmpty();
    found.forEach(place -> assertThat(holds.test(place)).as("%s", place).isTrue());
  }

  @Test
  void codeIsStartedOnlyAfterTheWriteThatBindsTheRunOrTakesItOver() {
    everywhere(
        place -> place.effect() instanceof Effect.Follow,
        place ->
            place.last() instanceof Event.TakenOver
                || (place.last() instanceof Event.BoundNow bound
                    && bound.staging() instanceof Staging.Staged));
  }

  @Test
  void codeIsStartedOnce() {
    everywhere(place -> place.effect() instanceof Effect.Follow, place -> !place.wasStarted());
  }

  @Test
  void aBindingIsGivenBackOnlyByWhoHasMadeItAndBeforeTheStart() {
    everywhere(
        place -> place.effect() instanceof Effect.Unbind unbind && unbind.byBinder(),
        place -> place.last() instanceof Event.BoundNow && !place.wasStarted());
  }

  @Test
  void aRunIsReleasedOnlyFromAPodThatHasNotStartedItAndWillNot() {
    everywhere(
        place -> place.effect() instanceof Effect.Unbind unbind && !unbind.byBinder(),
        place ->
            switch (place.last()) {
              case Event.Greeted greeted ->
                  Set.of(RunnerJob.REFUSES_ALL, RunnerJob.OF_ANOTHER_RUN).contains(greeted.job())
                      || greeted.job() == RunnerJob.OTHER_SNAPSHOTS
                          && greeted.target() == OLD_TARGET;
              case Event.Refuses _, Event.StartRefused _ -> true;
              case Event.CauseFound _ -> !place.state().isStarted() && !place.state().cancelled();
              default -> false;
            });
  }

  @Test
  void anEndingWithoutAStartIsToldOnlyWhereNobodyCanHaveSentOne() {
    everywhere(
        place -> place.effect() instanceof Effect.End && !place.state().mayHaveStarted(),
        place ->
            !place.wasBound()
                && !place.wasStarted()
                && !place.has(Event.BoundBefore.class::isInstance));
  }

  @Test
  void thePodOfAnotherRunIsNotDeletedUnlessItRefuses() {
    everywhere(
        place ->
            place.isWarm()
                && place.effect() instanceof Effect.Stop
                && place.has(
                    event ->
                        event instanceof Event.PodOccupied
                            || (event instanceof Event.Greeted greeted
                                && greeted.job() == RunnerJob.OF_ANOTHER_RUN)
                            || (event instanceof Event.BoundNow bound
                                && bound.staging() instanceof Staging.Failed failed
                                && failed.byAnotherRun())),
        place -> ((Effect.Stop) place.effect()).removal() == Removal.NONE);
  }

  @Test
  void whatBecomesOfThePodDependsOnWhoMayStartSomethingThere() {
    everywhere(
        place -> place.effect() instanceof Effect.Stop,
        place -> ((Effect.Stop) place.effect()).removal() == removal(place));
  }

  private static Removal removal(Place place) {
    Event last = place.last();
    if (last instanceof Event.Concluded concluded) {
      boolean isLeft = concluded.podEndsByItself() && !concluded.isDeleted();
      return isLeft
          ? Removal.NONE
          : place.isWarm() && !place.state().mayHaveStarted()
              ? Removal.REFUSE_FIRST
              : Removal.DELETE;
    }
    if (last instanceof Event.Failed failed && failed.mayBeBound()) {
      return Removal.NONE;
    }
    return switch (place.state().step()) {
      case State.Claimed _ when place.isWarm() -> Removal.REFUSE_FIRST_UNLESS_BOUND;
      case State.Claimed _ ->
          last instanceof Event.Greeted || last instanceof Event.NotDelivered
              ? Removal.DELETE_UNLESS_BOUND
              : Removal.NONE;
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

  @Test
  void onlyARunThatHasLeftAWarmPodUnstartedGetsTheNextAtOnce() {
    everywhere(
        place -> place.effect() instanceof Effect.Stop stop && stop.outcome() == Outcome.NEXT_POD,
        place -> !place.state().mayHaveStarted() && !(place.state().step() instanceof State.Bound));
  }

  @Test
  void aRunThatIsNotBoundToItsWarmPodGetsTheNextAtOnceIfThatIsLost() {
    everywhere(
        place ->
            place.isWarm()
                && place.state().step() instanceof State.Claimed
                && place.effect() instanceof Effect.Stop
                && place.last() instanceof Event.RunnerLost,
        place -> ((Effect.Stop) place.effect()).outcome() == Outcome.NEXT_POD);
  }

  @Test
  void aRunThatIsLostOnceItsStartWasSentEnds() {
    everywhere(
        place ->
            place.wasStarted()
                && (place.last() instanceof Event.RunnerLost
                    || place.last() instanceof Event.PodEnded),
        place -> place.effect() instanceof Effect.End);
  }

  @Test
  void nothingIsWrittenOnceTheEndingIs() {
    everywhere(
        place -> place.has(Event.Ended.class::isInstance),
        place ->
            place.effect() instanceof Effect.Conclude || place.effect() instanceof Effect.Stop);
  }

  @Test
  void aResultIsTheEndingUnlessTheStartHasFailedForACauseOutsideTheRun() {
    everywhere(
        place -> !place.events().isEmpty() && place.last() instanceof Event.ResultReported,
        place ->
            place.state().step() instanceof State.Reported reported
                && (place.effect() instanceof Effect.FindCause)
                    == (reported.result().equals(NOT_STARTED) && !place.state().cancelled()));
  }

  @Test
  void theOutputOfAFailedStartIsForgottenByWhoHasReleasedTheRun() {
    everywhere(
        place -> place.effect() instanceof Effect.ForgetStart,
        place ->
            place.last() instanceof Event.Unbound unbound
                && unbound.effect().why() == Why.START_FAILED
                && ((Effect.ForgetStart) place.effect()).hasOutput() == unbound.byThis());
  }
}
