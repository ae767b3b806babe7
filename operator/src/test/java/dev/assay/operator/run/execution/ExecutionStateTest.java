package dev.assay.operator.run.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.signing.SigningKey;
import org.junit.jupiter.api.Test;

class ExecutionStateTest {
  private static final Binding BINDING =
      new Binding(
          RunnerAddress.of(Samples.runningPod(7333)),
          Samples.NAMESPACE,
          Samples.RUN_UID,
          Samples.POD_UID,
          "nonce",
          SigningKey.generate());

  private static final ExecutionState UNBOUND = ExecutionState.of(Samples.run());

  private static final ExecutionState RESUMING =
      ExecutionState.of(
          Samples.run(
              Samples.run().getSpec(),
              AnalyticsRunStatusBuilder.builder()
                  .pod(
                      BoundPodBuilder.builder()
                          .name("run-1")
                          .uid(Samples.POD_UID)
                          .nonce("nonce")
                          .build())
                  .build()));

  @Test
  void codeCannotHaveStartedBeforeTheStartIsSent() {
    assertThat(UNBOUND.mayHaveStarted()).isFalse();
    assertThat(UNBOUND.bound(BINDING).mayHaveStarted()).isFalse();
    assertThat(UNBOUND.bound(BINDING).startSent().mayHaveStarted()).isTrue();
  }

  @Test
  void anEarlierProcessMayHaveStartedTheCodeOfAResumedRun() {
    assertThat(RESUMING.mayHaveStarted()).isTrue();
    assertThat(RESUMING.bound(BINDING).mayHaveStarted()).isTrue();
    assertThat(RESUMING.isStarted()).isFalse();
  }

  @Test
  void onlyARunThatThisProcessBoundHasABinding() {
    assertThat(UNBOUND.binding()).isEmpty();
    assertThat(RESUMING.binding()).isEmpty();
    assertThat(UNBOUND.bound(BINDING).binding()).contains(BINDING);
    assertThat(UNBOUND.bound(BINDING).startSent().started().reported(3).binding())
        .contains(BINDING);
  }

  @Test
  void aResultKeepsWhetherTheCodeWasStarted() {
    ExecutionState sent = UNBOUND.bound(BINDING).startSent();
    assertThat(sent.reported(1).isStarted()).isFalse();
    assertThat(sent.started().reported(2).isStarted()).isTrue();
    assertThat(sent.started().started()).as("repeated").isEqualTo(sent.started());
  }

  @Test
  void aCancellationIsKeptInEachLaterStep() {
    assertThat(UNBOUND.cancelled()).isFalse();
    assertThat(UNBOUND.cancel().bound(BINDING).startSent().started().reported(2).cancelled())
        .isTrue();
  }

  @Test
  void nothingIsSentToARunnerBeforeTheRunIsBound() {
    assertThatThrownBy(UNBOUND::startSent).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(RESUMING::started).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> UNBOUND.reported(1)).isInstanceOf(IllegalStateException.class);
  }
}
