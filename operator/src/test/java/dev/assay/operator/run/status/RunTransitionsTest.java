package dev.assay.operator.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.RunUsageBuilder;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunTransitionsTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:05.250Z");
  private static final BoundPod POD =
      BoundPodBuilder.builder().name("run-x").uid(Samples.POD_UID).nonce("nonce").build();
  private static final List<PinnedInput> INPUTS =
      List.of(new PinnedInput("earlier", "u-1", 1, "a.csv", 1, "5f", "a.csv", null));
  private static final List<PinnedSnapshot> PINNED =
      List.of(new PinnedSnapshot("sales", "s1", "snapshots/s1", null, null));
  private static final Ending DONE =
      new Ending(RunReason.Completed, "The code completed", PayloadStarted.Yes, null, null, null);

  @Test
  void theMessageOfAStatusIsOneLineThatATerminalMayShow() {
    Ending ending = Ending.started(RunReason.CodeError, "E: a\u001b[31m\nb\u202ec", null);
    AnalyticsRunStatus status =
        RunTransitions.finished(Samples.run(), ending, null, Instant.EPOCH).orElseThrow();
    assertThat(status.message()).isEqualTo("E: a\uFFFD[31m b\uFFFDc");
  }

  @Test
  void aRunThatWaitsIsPendingAndItsCodeWasNotStarted() {
    AnalyticsRunStatus status = waiting(Samples.run(), "0/3 nodes");
    assertThat(status.phase()).isEqualTo(RunPhase.Pending);
    assertThat(status.reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(status.message()).isEqualTo("0/3 nodes");
    assertThat(status.payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(status.observedGeneration()).isEqualTo(Samples.GENERATION);
  }

  @Test
  void waitingForTheSameReasonAgainWritesNothing() {
    AnalyticsRun run = with(waiting(Samples.run(), "0/3 nodes"));
    assertThat(RunTransitions.waiting(run, RunReason.WaitingForPod, "0/3 nodes")).isEmpty();
    assertThat(RunTransitions.waiting(run, RunReason.WaitingForPod, "0/4 nodes")).isPresent();
    assertThat(RunTransitions.waiting(run, RunReason.DatasetNotReady, "0/3 nodes")).isPresent();
  }

  @Test
  void aMessageIsCutToWhatTheSchemaTakes() {
    assertThat(waiting(Samples.run(), "x".repeat(5000)).message()).hasSize(4096);
    Ending ending = Ending.notStarted(RunReason.StartFailed, "x".repeat(5000));
    assertThat(RunTransitions.finished(Samples.run(), ending, null, NOW).orElseThrow().message())
        .hasSize(4096);
  }

  @Test
  void onlyTheProcessThatHasBoundARunLastGivesItBack() {
    AnalyticsRun run = with(bound(Samples.run()).withPod(POD.withDispatcher("a")));
    assertThat(RunTransitions.givenBack(run, Samples.POD_UID, "b", "no")).isEmpty();
    AnalyticsRunStatus back =
        RunTransitions.givenBack(run, Samples.POD_UID, "a", "no").orElseThrow();
    assertThat(back.pod()).isNull();
    assertThat(back.payloadStarted()).isEqualTo(PayloadStarted.No);
    AnalyticsRun retaken = with(RunTransitions.retaken(run, Samples.POD_UID, "b").orElseThrow());
    assertThat(RunTransitions.givenBack(retaken, Samples.POD_UID, "a", "no")).isEmpty();
  }

  @Test
  void aRunIsRetakenOnceAndOnlyInItsPod() {
    AnalyticsRun run = with(bound(Samples.run()));
    AnalyticsRunStatus retaken = RunTransitions.retaken(run, Samples.POD_UID, "b").orElseThrow();
    assertThat(retaken.pod()).isEqualTo(POD.withDispatcher("b"));
    assertThat(retaken.phase()).isEqualTo(RunPhase.Starting);
    assertThat(RunTransitions.retaken(with(retaken), Samples.POD_UID, "b")).isEmpty();
    assertThat(RunTransitions.retaken(run, "another-uid", "b")).isEmpty();
    assertThat(RunTransitions.retaken(Samples.run(), Samples.POD_UID, "b")).isEmpty();
    AnalyticsRun ended = with(RunTransitions.finished(run, DONE, null, NOW).orElseThrow());
    assertThat(RunTransitions.retaken(ended, Samples.POD_UID, "b")).isEmpty();
  }

  @Test
  void anEndingAppliesToTheSameRunnerWhoeverHasRetakenTheRun() {
    AnalyticsRun run = with(bound(Samples.run()));
    AnalyticsRun retaken = with(RunTransitions.retaken(run, Samples.POD_UID, "b").orElseThrow());
    assertThat(RunState.isAsBound(retaken, run)).isTrue();
    assertThat(RunState.isAsBound(retaken, Samples.run())).isFalse();
  }

  @Test
  void bindingNamesThePodAndLeavesOpenWhetherTheCodeWasStarted() {
    AnalyticsRunStatus status = bound(Samples.run());
    assertThat(status.phase()).isEqualTo(RunPhase.Starting);
    assertThat(status.pod()).isEqualTo(POD);
    assertThat(status.snapshots()).isEqualTo(PINNED);
    assertThat(status.payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertThat(status.queueTime()).isEqualTo("5.3s");
    assertThat(status.timings())
        .isEqualTo(
            RunTimingsBuilder.builder()
                .queued(Samples.CREATED)
                .podCreated("2026-11-01T10:00:01Z")
                .podRunning("2026-11-01T10:00:04Z")
                .bound("2026-11-01T10:00:05.250Z")
                .build());
  }

  @Test
  void aBoundRunIsNeverBoundElsewhereNorAgain() {
    AnalyticsRun run = with(bound(Samples.run()));
    assertThat(
            bind(
                run, BoundPodBuilder.builder().name("other").uid("another-uid").nonce("n").build()))
        .isEmpty();
    assertThat(bind(run, POD)).isEmpty();
    assertThat(RunTransitions.waiting(run, RunReason.WaitingForPod, "x")).isEmpty();
  }

  @Test
  void aRunThatIsToBeStoppedIsNotBound() {
    AnalyticsRun run = Samples.run(Samples.spec("1", null, null, true), null);
    assertThat(bind(run, POD)).isEmpty();
  }

  @Test
  void theFirstInstructionMakesTheRunRunning() {
    AnalyticsRunStatus status = started(with(bound(Samples.run())));
    assertThat(status.phase()).isEqualTo(RunPhase.Running);
    assertThat(status.payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(status.pod()).isEqualTo(POD);
    assertThat(status.snapshots()).isEqualTo(PINNED);
    assertThat(status.timings()).isNotNull();
    assertThat(Objects.requireNonNull(status.timings()).started())
        .isEqualTo("2026-11-01T10:00:05.250Z");
  }

  @Test
  void onlyTheBoundPodCanStartARunAndOnlyOnce() {
    AnalyticsRun run = with(bound(Samples.run()));
    assertThat(RunTransitions.started(run, "another-uid", NOW)).isEmpty();
    assertThat(RunTransitions.started(Samples.run(), Samples.POD_UID, NOW)).isEmpty();
    assertThat(RunTransitions.started(with(started(run)), Samples.POD_UID, NOW)).isEmpty();
  }

  @Test
  void theEndKeepsWhatIsKnownOfPodSnapshotsAndStart() {
    AnalyticsRun run = with(started(with(bound(Samples.run()))));
    AnalyticsRunStatus status =
        RunTransitions.finished(run, DONE, null, NOW.plusSeconds(12)).orElseThrow();
    assertThat(status.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(status.pod()).isEqualTo(POD);
    assertThat(status.snapshots()).isEqualTo(PINNED);
    assertThat(status.runTime()).isEqualTo("12s");
    assertThat(status.queueTime()).isEqualTo("5.3s");
  }

  @Test
  void anEndingThatDoesNotKnowKeepsWhatWasKnownOfTheStart() {
    Ending lost = Ending.startUnknown(RunReason.PodLost, "gone", null);
    AnalyticsRun bound = with(bound(Samples.run()));
    assertThat(payloadStarted(Samples.run(), lost)).isEqualTo(PayloadStarted.No);
    assertThat(payloadStarted(bound, lost)).isEqualTo(PayloadStarted.Unknown);
    assertThat(payloadStarted(with(started(bound)), lost)).isEqualTo(PayloadStarted.Yes);
  }

  @Test
  void anEndingThatKnowsOverrulesWhatWasKnownOfTheStart() {
    AnalyticsRun bound = with(bound(Samples.run()));
    assertThat(payloadStarted(bound, Ending.notStarted(RunReason.StartFailed, "x")))
        .isEqualTo(PayloadStarted.No);
    assertThat(payloadStarted(bound, DONE)).isEqualTo(PayloadStarted.Yes);
  }

  @Test
  void nothingChangesARunThatHasEnded() {
    AnalyticsRun run =
        with(RunTransitions.finished(with(bound(Samples.run())), DONE, null, NOW).orElseThrow());
    assertThat(RunState.isFinal(run)).isTrue();
    assertThat(RunTransitions.waiting(run, RunReason.WaitingForPod, "x")).isEmpty();
    assertThat(bind(run, POD)).isEmpty();
    assertThat(RunTransitions.started(run, Samples.POD_UID, NOW)).isEmpty();
    assertThat(
            RunTransitions.finished(
                run, Ending.startUnknown(RunReason.Cancelled, "late", null), null, NOW))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "Unknown")
  void everyReasonToEndHasAFinalPhase(RunReason reason) {
    Map<RunReason, RunPhase> otherThanFailed = new EnumMap<>(RunReason.class);
    otherThanFailed.put(RunReason.Completed, RunPhase.Succeeded);
    otherThanFailed.put(RunReason.DeadlineExceeded, RunPhase.TimedOut);
    otherThanFailed.put(RunReason.Cancelled, RunPhase.Cancelled);
    AnalyticsRunStatus status =
        RunTransitions.finished(Samples.run(), Ending.startUnknown(reason, "x", null), null, NOW)
            .orElseThrow();
    assertThat(status.phase()).isEqualTo(otherThanFailed.getOrDefault(reason, RunPhase.Failed));
    assertThat(status.reason()).isEqualTo(reason);
  }

  @Test
  void thePhaseFollowsFromTheConditionsAtEachStep() {
    AnalyticsRunStatus bound = bound(Samples.run());
    AnalyticsRunStatus started = started(with(bound));
    AnalyticsRunStatus finished =
        RunTransitions.finished(with(started), DONE, null, NOW).orElseThrow();
    for (AnalyticsRunStatus status : List.of(bound, started, finished)) {
      assertThat(RunConditions.phase(status.conditions())).isEqualTo(status.phase());
    }
    assertThat(RunConditions.phase(null)).isEqualTo(RunPhase.Pending);
    assertThat(finished.conditions())
        .extracting(Condition::getType)
        .containsExactly("Bound", "Started", "Finished");
    assertThat(finished.conditions())
        .allSatisfy(
            condition ->
                assertThat(condition.getObservedGeneration()).isEqualTo(Samples.GENERATION));
  }

  @Test
  void aConditionOfTheSameReasonKeepsItsTime() {
    List<Condition> first =
        RunConditions.with(null, "Bound", RunReason.Bound, "a", 1, "2026-11-01T10:00:00Z");
    List<Condition> again =
        RunConditions.with(first, "Bound", RunReason.Bound, "b", 2, "2026-11-01T11:00:00Z");
    List<Condition> other =
        RunConditions.with(first, "Bound", RunReason.PodLost, "b", 2, "2026-11-01T11:00:00Z");
    assertThat(again)
        .singleElement()
        .returns("2026-11-01T10:00:00Z", Condition::getLastTransitionTime)
        .returns("b", Condition::getMessage);
    assertThat(other)
        .singleElement()
        .returns("2026-11-01T11:00:00Z", Condition::getLastTransitionTime);
  }

  @Test
  void aBoundRunNamesWhatItReads() {
    AnalyticsRunStatus bound = bound(Samples.run());
    assertThat(bound.snapshots()).isEqualTo(PINNED);
    assertThat(bound.inputs()).isEqualTo(INPUTS);
  }

  @Test
  void theEndNamesTheFilesThatTheRunLeft() {
    List<RunArtifact> left = List.of(new RunArtifact("a.csv", 1, "5f", "text/csv"));
    AnalyticsRunStatus ended =
        RunTransitions.finished(
                with(bound(Samples.run())),
                Ending.startUnknown(RunReason.Cancelled, "cancelled", null)
                    .leaving(new RunArtifacts(left, "one link")),
                null,
                NOW)
            .orElseThrow();
    assertThat(ended.artifacts()).isEqualTo(left);
    assertThat(ended.artifactsMessage()).isEqualTo("one link");
    assertThat(ended.inputs()).isEqualTo(INPUTS);
  }

  @Test
  void aClockThatWentBackGivesNoNegativeTime() {
    Optional<AnalyticsRunStatus> early =
        RunTransitions.bound(
            Samples.run(),
            POD,
            new RunTransitions.Pinned(PINNED, List.of()),
            Instant.parse(Samples.CREATED),
            Samples.CREATED,
            NOW,
            Instant.parse(Samples.CREATED).minusSeconds(3));
    assertThat(early.orElseThrow().queueTime()).isEqualTo("0ms");
  }

  private static PayloadStarted payloadStarted(AnalyticsRun run, Ending ending) {
    return Objects.requireNonNull(
        RunTransitions.finished(run, ending, null, NOW).orElseThrow().payloadStarted());
  }

  private static AnalyticsRunStatus waiting(AnalyticsRun run, String message) {
    return RunTransitions.waiting(run, RunReason.WaitingForPod, message).orElseThrow();
  }

  @Test
  void aRunWaitsForTheOutputStoreInThePhaseItIsIn() {
    AnalyticsRunStatus started =
        RunTransitions.started(with(bound(Samples.run())), Samples.POD_UID, NOW).orElseThrow();
    AnalyticsRun run =
        with(StoreOutageTransitions.begun(with(started), "/outputs is full", NOW).orElseThrow());
    assertThat(run.getStatus().phase()).isEqualTo(RunPhase.Running);
    assertThat(run.getStatus().reason()).isEqualTo(RunReason.OutputStoreUnavailable);
    assertThat(run.getStatus().message()).isEqualTo("/outputs is full");
    assertThat(run.getStatus().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(StoreOutageTransitions.begun(run, "other words", NOW)).as("told once").isEmpty();
    assertThat(StoreOutageTransitions.ended(run).orElseThrow().conditions())
        .isEqualTo(started.conditions());
    assertThat(StoreOutageTransitions.ended(with(started))).isEmpty();
    assertThat(StoreOutageTransitions.begun(Samples.run(), "unbound", NOW)).isEmpty();
  }

  @Test
  void aRunIsTakenFromItsPodOnlyWhileItsCodeHasNotStarted() {
    AnalyticsRun bound = with(bound(Samples.run()).withClassName("usual"));
    AnalyticsRunStatus released =
        RunTransitions.released(bound, Samples.POD_UID, "again").orElseThrow();
    assertThat(released.className()).isEqualTo("usual");
    assertThat(released.phase()).isEqualTo(RunPhase.Pending);
    assertThat(released.pod()).isNull();
    assertThat(released.payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(released.conditions()).isEmpty();
    assertThat(RunTransitions.released(bound, "another-pod", "again")).isEmpty();
    assertThat(RunTransitions.released(with(released), Samples.POD_UID, "again")).isEmpty();
    AnalyticsRun running = with(RunTransitions.started(bound, Samples.POD_UID, NOW).orElseThrow());
    assertThat(RunTransitions.released(running, Samples.POD_UID, "again")).isEmpty();
    AnalyticsRun done = with(RunTransitions.finished(bound, DONE, null, NOW).orElseThrow());
    assertThat(RunTransitions.released(done, Samples.POD_UID, "again")).isEmpty();
  }

  private static AnalyticsRunStatus bound(AnalyticsRun run) {
    return bind(run, POD).orElseThrow();
  }

  private static Optional<AnalyticsRunStatus> bind(AnalyticsRun run, BoundPod pod) {
    return RunTransitions.bound(
        run,
        pod,
        new RunTransitions.Pinned(PINNED, INPUTS),
        Instant.parse(Samples.CREATED),
        "2026-11-01T10:00:01Z",
        Instant.parse("2026-11-01T10:00:04Z"),
        NOW);
  }

  private static AnalyticsRunStatus started(AnalyticsRun run) {
    return RunTransitions.started(run, Samples.POD_UID, NOW).orElseThrow();
  }

  private static AnalyticsRun with(AnalyticsRunStatus status) {
    return Samples.run(Samples.spec("print(1)", null, null, null), status);
  }

  @Test
  void aRunThatEndsBeforeItsStartWasWrittenStillTellsWhenItStarted() {
    AnalyticsRunStatus finished =
        RunTransitions.finished(
                with(bound(Samples.run())), DONE, NOW.plusSeconds(1), NOW.plusSeconds(3))
            .orElseThrow();
    assertThat(Objects.requireNonNull(finished.timings()).started())
        .isEqualTo(NOW.plusSeconds(1).toString());
    assertThat(finished.runTime()).isEqualTo("2.0s");
  }

  @Test
  void aRunThatIsLostBeforeItsStartWasWrittenStillTellsThatItStarted() {
    AnalyticsRunStatus lost =
        RunTransitions.finished(
                with(bound(Samples.run())),
                Ending.startUnknown(RunReason.PodLost, "gone", null),
                NOW.plusSeconds(1),
                NOW.plusSeconds(3))
            .orElseThrow();
    assertThat(lost.payloadStarted()).isEqualTo(PayloadStarted.Yes);
  }

  @Test
  void theRunnerTellsTheRunTimeAndWhatWasUsed() {
    Ending ending =
        Ending.started(RunReason.Completed, "done", null)
            .measured(
                Duration.ofMillis(1500),
                RunUsageBuilder.builder().cpuSeconds("1.250").peakMemoryBytes(4096L).build());
    AnalyticsRunStatus finished =
        RunTransitions.finished(with(bound(Samples.run())), ending, NOW, NOW.plusSeconds(9))
            .orElseThrow();
    assertThat(finished.runTime()).isEqualTo("1.5s");
    assertThat(finished.usage())
        .isEqualTo(RunUsageBuilder.builder().cpuSeconds("1.250").peakMemoryBytes(4096L).build());
  }

  @Test
  void overlongWordsThatAreThereAlreadyWriteNothing() {
    String words = "x".repeat(5000);
    AnalyticsRun run =
        with(RunTransitions.waiting(Samples.run(), RunReason.WaitingForPod, words).orElseThrow());
    assertThat(RunTransitions.waiting(run, RunReason.WaitingForPod, words)).isEmpty();
  }
}
