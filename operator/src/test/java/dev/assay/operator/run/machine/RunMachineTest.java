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
import java.util.HashSet;
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

  /** A place on a way: what is to be done, and how it came to that. */
  private record Place(
      boolean isWarm, boolean wasBound, State state, Effect effect, List<Event> events) {
    Event last() {
      return events.getLast();
    }

    boolean has(Predicate<Event> event) {
      return events.stream().anyMatch(event);
    }

    boolean isFollowed() {
      return has(Event.ResultReported.class::isInstance)
          || has(Event.StartRefused.class::isInstance)
          || effect instanceof Effect.Follow;
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
        isWarm, isBound, State.begin(isBound), new RunMachine(isWarm).begin(idle), List.of());
  }

  /** What may come of an effect, and the state that it leaves. */
  private static List<Place> after(Place place) {
    List<Place> next = new ArrayList<>();
    for (State state : states(place)) {
      for (Event event : events(place, state)) {
        Transition transition = new RunMachine(place.isWarm()).next(state, event);
        List<Event> events = new ArrayList<>(place.events());
        events.add(event);
        next.add(
            new Place(
                place.isWarm(),
                place.wasBound(),
                state.at(transition.step()),
                transition.effect(),
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
    may.accept(new Event.Failed(place.effect() instanceof Effect.Bind));
    may.accept(new Event.Failed(false));
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
  private static void walk(Consumer<Place> visit) {
    List<Place> open = new ArrayList<>(beginnings());
    Set<Place> seen = new HashSet<>();
    while (!open.isEmpty()) {
      Place place = open.removeLast();
      if (seen.add(place)) {
        visit.accept(place);
        open.addAll(after(place));
      }
    }
    assertThat(seen).hasSizeGreaterThan(1000);
  }

  private static void everywhere(Predicate<Place> where, Predicate<Place> holds, String rule) {
    int[] count = {0};
    walk(
        place -> {
          if (where.test(place)) {
            count[0]++;
            assertThat(holds.test(place)).as("%s: %s", rule, place).isTrue();
          }
        });
    assertThat(count[0]).as(rule).isPositive();
  }

  @Test
  void everyWayEnds() {
    walk(place -> assertThat(place.events()).as("%s", place).hasSizeLessThan(15));
  }

  @Test
  void codeIsStartedOnlyAfterTheWriteThatBindsTheRunOrTakesItOver() {
    everywhere(
        place -> place.effect() instanceof Effect.Follow,
        place ->
            place.last() instanceof Event.TakenOver
                || (place.last() instanceof Event.BoundNow bound
                    && bound.staging() instanceof Staging.Staged),
        "no start before the write");
  }

  @Test
  void codeIsStartedOnce() {
    everywhere(
        place -> place.effect() instanceof Effect.Follow,
        place ->
            !place.has(Event.ResultReported.class::isInstance)
                && !place.has(Event.StartRefused.class::isInstance),
        "one start");
  }

  @Test
  void aBindingIsGivenBackOnlyByWhoHasMadeItAndBeforeTheStart() {
    everywhere(
        place -> place.effect() instanceof Effect.Unbind unbind && unbind.byBinder(),
        place -> place.last() instanceof Event.BoundNow && !place.isFollowed(),
        "given back by its binder");
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
            },
        "released only if it cannot start");
  }

  @Test
  void anEndingWithoutAStartIsToldOnlyWhereNobodyCanHaveSentOne() {
    everywhere(
        place -> place.effect() instanceof Effect.End && !place.state().mayHaveStarted(),
        place ->
            !place.wasBound()
                && !place.isFollowed()
                && !place.has(Event.BoundBefore.class::isInstance),
        "not started");
  }

  @Test
  void thePodOfAnotherRunIsLeftToIt() {
    everywhere(
        place ->
            place.isWarm()
                && place.effect() instanceof Effect.Stop
                && !place.has(Event.Ended.class::isInstance)
                && place.has(
                    event ->
                        event instanceof Event.PodOccupied
                            || (event instanceof Event.Greeted greeted
                                && greeted.job() == RunnerJob.OF_ANOTHER_RUN)
                            || (event instanceof Event.BoundNow bound
                                && bound.staging() instanceof Staging.Failed failed
                                && failed.byAnotherRun())),
        place -> ((Effect.Stop) place.effect()).removal() == Removal.NONE,
        "left to the other run");
  }

  @Test
  void aWarmPodThatAnotherLeaderMayStartSomethingInIsDeletedOnlyOnceItRefuses() {
    everywhere(
        place ->
            place.isWarm()
                && place.effect() instanceof Effect.Stop stop
                && stop.removal() == Removal.DELETE,
        place -> place.isFollowed() || place.state().mayHaveStarted(),
        "deleted without a refusal");
  }

  @Test
  void aPodIsLeftWhereTheBindHasNoAnswer() {
    everywhere(
        place ->
            place.effect() instanceof Effect.Stop
                && place.last() instanceof Event.Failed failed
                && failed.bindMayBeWritten(),
        place -> ((Effect.Stop) place.effect()).removal() == Removal.NONE,
        "the bind may be written");
  }

  @Test
  void anOwnPodOfAnUnboundRunIsLeftToTheReconciler() {
    everywhere(
        place ->
            !place.isWarm()
                && place.effect() instanceof Effect.Stop
                && place.state().step() instanceof State.Claimed
                && place.last() instanceof Event.NotOurs,
        place -> ((Effect.Stop) place.effect()).removal() == Removal.NONE,
        "its own Pod");
  }

  @Test
  void aRunThatWasNotBoundToItsWarmPodGetsTheNextAtOnce() {
    everywhere(
        place ->
            place.isWarm()
                && place.state().step() instanceof State.Claimed
                && place.effect() instanceof Effect.Stop
                && place.last() instanceof Event.RunnerLost,
        place -> ((Effect.Stop) place.effect()).outcome() == Outcome.NEXT_POD,
        "the next Pod");
  }

  @Test
  void nothingIsWrittenOnceTheEndingIs() {
    everywhere(
        place -> place.has(Event.Ended.class::isInstance),
        place -> place.effect() instanceof Effect.Conclude || place.effect() instanceof Effect.Stop,
        "after the ending");
  }

  @Test
  void aResultIsTheEndingUnlessTheStartHasFailedForACauseOutsideTheRun() {
    everywhere(
        place -> !place.events().isEmpty() && place.last() instanceof Event.ResultReported,
        place ->
            place.state().step() instanceof State.Reported reported
                && (place.effect() instanceof Effect.FindCause)
                    == (reported.result().equals(NOT_STARTED) && !place.state().cancelled()),
        "the result");
  }

  @Test
  void theOutputOfAFailedStartIsForgottenByWhoHasReleasedTheRun() {
    everywhere(
        place -> place.effect() instanceof Effect.ForgetStart,
        place ->
            place.last() instanceof Event.Unbound unbound
                && unbound.effect().why() == Why.START_FAILED
                && ((Effect.ForgetStart) place.effect()).hasOutput() == unbound.byThis(),
        "forgotten output");
  }
}
