package dev.assay.operator.runner;

import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RetirementTest {
  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  private final FakeRunner runner = new FakeRunner(keys.current());
  private final RunnerClient runners = new RunnerClient(clock);
  private final Retirement retirement = new Retirement(runners, keys);
  private final Pod pod =
      Samples.warm(Samples.trusting(Samples.runningPod(runner.port()), keys.current()));

  @AfterEach
  void stop() {
    runners.close();
    runner.close();
    api.close();
  }

  @Test
  void aRetiredRunnerWasToldToRefuse() {
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isTrue();
    assertThat(runner.ops()).containsExactly("refuse");
  }

  @Test
  void aRunnerThatSaysSoIsRetired() {
    assertThat(hello("Refused").isRetired()).isTrue();
    assertThat(hello("Staged").isRetired()).isFalse();
    assertThat(FakeRunner.idleHello().isRetired()).isFalse();
  }

  private static Hello hello(String state) {
    return new Hello(
        1,
        Samples.POD_UID,
        FakeRunner.NONCE,
        state,
        Samples.RUN_UID,
        null,
        List.of("k1"),
        List.of());
  }

  /** A request that came late was answered before its runner looked at what it has. */
  @ParameterizedTest
  @ValueSource(strings = {"Started", "Expired"})
  void aRunnerThatMayHaveStartedARunIsNotRetired(String code) {
    runner.on("/v1/refuse", refusal(409, code));
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isFalse();
  }

  @Test
  void aRunnerThatDoesNotAnswerAtOnceIsAskedAgain() {
    runner.on("/v1/refuse", nothing(), nothing(), refusal(409, "Started"));
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isFalse();
  }

  /** It does not know the word: only while it is idle does nobody lose a run with it. */
  @ParameterizedTest
  @CsvSource({"Idle, true", "Staged, false", "Started, false"})
  void aRunnerFromBefore03IsRetiredOnceItIsSeenIdle(String state, boolean isRetired) {
    assertThat(retirement.retire(pod, hello(state))).isEqualTo(isRetired);
    assertThat(runner.paths()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"NotFound", "Malformed", "WrongNonce"})
  void aRunnerThatDoesNotRefuseForAnotherReasonDoesNotKeepItsPod(String code) {
    runner.on("/v1/refuse", refusal(409, code));
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isTrue();
  }

  @Test
  void aRunnerThatDoesNotAnswerAnyMoreDoesNotKeepItsPod() {
    runner.on("/v1/refuse", nothing());
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isTrue();
  }

  @Test
  void theRunnerOfAnotherPodAtTheAddressIsToldNothing() {
    Hello other =
        new Hello(1, "another-pod", FakeRunner.NONCE, "Idle", null, null, List.of(), List.of());
    assertThat(retirement.retire(pod, other)).isTrue();
    assertThat(runner.paths()).isEmpty();
  }

  @Test
  void aRunnerWhoseKeyWasRemovedIsToldNothing() {
    Pod trustsAnother = Samples.warm(Samples.runningPod(runner.port()));
    assertThat(retirement.retire(trustsAnother, FakeRunner.idleHello())).isTrue();
    assertThat(runner.paths()).isEmpty();
  }
}
