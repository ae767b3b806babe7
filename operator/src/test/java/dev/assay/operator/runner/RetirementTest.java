package dev.assay.operator.runner;

import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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

  @ParameterizedTest
  @CsvSource({"polars, python", "sql, sql", "javascript, javascript"})
  void aRetiredRunnerHasAJobOfItsKindThatBelongsToNoRun(String feature, String kind) {
    assertThat(retirement.retire(pod, FakeRunner.idleHello(feature))).isTrue();
    assertThat(runner.ops()).containsExactly("stage");
    JsonNode stage = runner.accepted().getFirst();
    assertThat(stage.path("runUid").asText()).isEqualTo("retired");
    assertThat(stage.at("/job/kind").asText()).isEqualTo(kind);
    assertThat(stage.at("/job/code").asText("none")).isEmpty();
  }

  @Test
  void aRunnerThatSaysSoIsRetired() {
    assertThat(hello("retired").isRetired()).isTrue();
    assertThat(hello(Samples.RUN_UID).isRetired()).isFalse();
    assertThat(FakeRunner.idleHello().isRetired()).isFalse();
  }

  private static Hello hello(String runUid) {
    return new Hello(
        1, Samples.POD_UID, FakeRunner.NONCE, "Staged", runUid, null, List.of("k1"), List.of());
  }

  @Test
  void aRunnerThatWasGivenTheJobOfARunMeanwhileIsNotRetired() {
    runner.on("/v1/stage", refusal(409, "RunMismatch"));
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isFalse();
  }

  /** Another leader may have retired it, or its image may be too old for the job. */
  @ParameterizedTest
  @ValueSource(strings = {"BytesChanged", "Malformed", "WrongKind", "Expired"})
  void aRunnerThatRefusesTheJobForAnotherReasonDoesNotKeepItsPod(String code) {
    runner.on("/v1/stage", refusal(409, code));
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isTrue();
  }

  @Test
  void aRunnerThatDoesNotAnswerAnyMoreDoesNotKeepItsPod() {
    runner.on("/v1/stage", nothing());
    assertThat(retirement.retire(pod, FakeRunner.idleHello())).isTrue();
  }

  @Test
  void theRunnerOfAnotherPodAtTheAddressIsGivenNothing() {
    Hello other =
        new Hello(1, "another-pod", FakeRunner.NONCE, "Idle", null, null, List.of(), List.of());
    assertThat(retirement.retire(pod, other)).isTrue();
    assertThat(runner.paths()).isEmpty();
  }

  @Test
  void aRunnerWhoseKeyWasRemovedIsGivenNothing() {
    Pod trustsAnother = Samples.warm(Samples.runningPod(runner.port()));
    assertThat(retirement.retire(trustsAnother, FakeRunner.idleHello())).isTrue();
    assertThat(runner.paths()).isEmpty();
  }
}
