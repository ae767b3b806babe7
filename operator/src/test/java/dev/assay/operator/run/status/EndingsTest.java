package dev.assay.operator.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.Samples;
import dev.assay.operator.run.results.RunOutput;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerEvent.CodeError;
import dev.assay.operator.runner.RunnerEvent.Outcome;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class EndingsTest {
  private static final RunResult RESULT = new RunOutput().partialResult();
  private static final Pod RUNNING = Samples.runningPod(7333);

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "Succeeded,Completed,Yes",
        "CodeError,CodeError,Yes",
        "DeadlineExceeded,DeadlineExceeded,Yes",
        "MemoryExceeded,MemoryExceeded,Yes",
        "Cancelled,Cancelled,Yes",
        "StartFailed,StartFailed,No",
        "WorkerLost,RunnerLost,-"
      })
  void eachOutcomeHasItsReasonAndTellsWhatIsKnownOfTheStart(
      Outcome outcome, RunReason reason, @Nullable PayloadStarted started) {
    Ending ending = reported(outcome, null, RUNNING);
    assertThat(ending.reason()).isEqualTo(reason);
    assertThat(ending.payloadStarted()).isEqualTo(started);
  }

  @Test
  void aRunThatIsCancelledBeforeItsFirstInstructionWasNotStarted() {
    RunnerEvent.Result event = event(Outcome.Cancelled, null);
    assertThat(
            Endings.reported(
                    event, RESULT, Language.PYTHON, false, RUNNING, "512Mi", Duration.ofSeconds(30))
                .payloadStarted())
        .isEqualTo(PayloadStarted.No);
  }

  @ParameterizedTest
  @EnumSource
  void whateverTheOutcomeTheResultIsKeptAndTheMessageIsNotEmpty(Outcome outcome) {
    Ending ending = reported(outcome, null, null);
    assertThat(ending.result()).isSameAs(RESULT);
    assertThat(ending.message()).isNotBlank();
  }

  @Test
  void aResultWhoseOutputIsNotAllKeptIsNotCacheable() {
    assertThat(isCacheable(10, Language.SQL)).isTrue();
    assertThat(isCacheable(9, Language.SQL)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Language.class,
      names = {"PYTHON", "POLARS"})
  void codeThatCanWriteItsOwnResultIsNotBelievedThatItIsCacheable(Language language) {
    assertThat(isCacheable(10, language)).isFalse();
  }

  private static boolean isCacheable(long storedBytes, Language language) {
    return Endings.reported(
            cacheable(storedBytes),
            RESULT,
            language,
            true,
            RUNNING,
            "512Mi",
            Duration.ofSeconds(30))
        .isCacheable();
  }

  private static RunnerEvent.Result cacheable(long storedBytes) {
    String value = "{\"cacheable\":true}";
    return new RunnerEvent.Result(
        1, Outcome.Succeeded, null, null, value, 10, storedBytes, null, null, null, null, 1, null);
  }

  @Test
  void theMessageOfAnErrorIsTheErrorItself() {
    assertThat(reported(Outcome.CodeError, error("KeyError", "'x'"), RUNNING).message())
        .isEqualTo("KeyError: 'x'");
    assertThat(reported(Outcome.CodeError, error("KeyboardInterrupt", ""), RUNNING).message())
        .isEqualTo("KeyboardInterrupt");
    assertThat(reported(Outcome.StartFailed, error("ImportError", "no pandas"), RUNNING).message())
        .contains("no pandas");
  }

  @Test
  void limitsAreNamedInTheMessage() {
    assertThat(reported(Outcome.DeadlineExceeded, null, RUNNING).message()).contains("30 s");
    assertThat(reported(Outcome.MemoryExceeded, null, RUNNING).message()).contains("512Mi");
  }

  @Test
  void aLostWorkerOfAContainerThatTheKernelEndedForMemoryNeededTooMuch() {
    Ending ending = reported(Outcome.WorkerLost, null, workerEnded("OOMKilled"));
    assertThat(ending.reason()).isEqualTo(RunReason.MemoryExceeded);
    assertThat(ending.payloadStarted()).isNull();
  }

  @Test
  void aLostWorkerOfAnotherCauseHasKubernetesOwnWords() {
    Ending ending = reported(Outcome.WorkerLost, null, workerEnded("Error"));
    assertThat(ending.reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(ending.message()).contains("worker ended: Error: exit code 137");
  }

  @Test
  void aPodThatIsGoneOrGoingIsLost() {
    Pod going =
        new PodBuilder(RUNNING)
            .editMetadata()
            .withDeletionTimestamp(Samples.CREATED)
            .endMetadata()
            .build();
    for (Ending ending : new Ending[] {ended(null), ended(going)}) {
      assertThat(ending.reason()).isEqualTo(RunReason.PodLost);
      assertThat(ending.payloadStarted()).isNull();
      assertThat(ending.result()).isSameAs(RESULT);
    }
  }

  @Test
  void aPodThatEndedTellsWhy() {
    assertThat(ended(workerEnded("OOMKilled")).reason()).isEqualTo(RunReason.MemoryExceeded);
    assertThat(ended(failed("DeadlineExceeded")).reason()).isEqualTo(RunReason.DeadlineExceeded);
    Ending evicted = ended(failed("Evicted"));
    assertThat(evicted.reason()).isEqualTo(RunReason.PodLost);
    assertThat(evicted.message()).contains("Evicted: because");
    Pod full = failed("Evicted");
    full.getStatus()
        .setMessage("Usage of EmptyDir volume \"scratch\" exceeds the limit \"64Mi\". ");
    assertThat(ended(full).reason()).isEqualTo(RunReason.ScratchExceeded);
    assertThat(ended(full).message()).contains("64Mi");
  }

  private static Ending ended(@Nullable Pod pod) {
    return Endings.podEnded(pod, "512Mi", RESULT);
  }

  private static Ending reported(Outcome outcome, @Nullable CodeError error, @Nullable Pod pod) {
    return Endings.reported(
        event(outcome, error), RESULT, Language.PYTHON, true, pod, "512Mi", Duration.ofSeconds(30));
  }

  private static RunnerEvent.Result event(Outcome outcome, @Nullable CodeError error) {
    return new RunnerEvent.Result(
        1, outcome, error, null, null, 0, 0, null, null, null, null, 0, null);
  }

  private static CodeError error(String type, String message) {
    return new CodeError(type, message, null, null, null, null);
  }

  private static Pod failed(String reason) {
    return new PodBuilder(RUNNING)
        .editStatus()
        .withPhase("Failed")
        .withReason(reason)
        .withMessage("because")
        .endStatus()
        .build();
  }

  private static Pod workerEnded(String reason) {
    return new PodBuilder(RUNNING)
        .editStatus()
        .addNewContainerStatus()
        .withName("worker")
        .withNewState()
        .withNewTerminated()
        .withReason(reason)
        .withExitCode(137)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }
}
