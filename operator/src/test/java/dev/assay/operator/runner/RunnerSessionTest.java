package dev.assay.operator.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.signing.SigningKey;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunnerSessionTest {
  private static final long MAX_BYTES = 100_000;

  private final SigningKey key = SigningKey.generate("k1");
  private final ManualClock clock = new ManualClock();
  private final RunnerClient client = new RunnerClient(clock);
  private final FakeRunner runner = new FakeRunner(key);
  private final Pod running = Samples.runningPod(runner.port());
  private final AtomicReference<Optional<Pod>> seen = new AtomicReference<>(Optional.of(running));
  private final RunnerSession session =
      new RunnerSession(client, new PodView(seen::get, Samples.POD_UID), clock);
  private final List<Long> handled = new ArrayList<>();

  @AfterEach
  void stop() {
    runner.close();
    client.close();
  }

  @Test
  void helloIsSaidAgainUntilItIsAnswered() throws Exception {
    runner.on(
        "/v1/hello",
        FakeRunner.nothing(),
        FakeRunner.refusal(503, "NotYet"),
        FakeRunner.json(200, "not json"),
        FakeRunner.json(200, FakeRunner.helloOf(Samples.POD_UID)));
    assertThat(session.hello(running, later()).nonce()).isEqualTo(FakeRunner.NONCE);
    assertThat(runner.paths()).hasSizeGreaterThanOrEqualTo(4).containsOnly("/v1/hello");
  }

  @Test
  void aHelloOfAnotherPodAtTheAddressIsNotTaken() throws Exception {
    runner.on(
        "/v1/hello",
        FakeRunner.json(200, FakeRunner.helloOf("another-pod")),
        FakeRunner.json(200, FakeRunner.helloOf(Samples.POD_UID)));
    assertThat(session.hello(running, later()).podUid()).isEqualTo(Samples.POD_UID);
    assertThat(runner.paths()).hasSize(2);
  }

  @Test
  void anotherProtocolIsNotSpoken() {
    runner.on(
        "/v1/hello",
        FakeRunner.json(
            200, FakeRunner.helloOf(Samples.POD_UID).replace("\"protocol\":1", "\"protocol\":2")));
    assertThatThrownBy(() -> session.hello(running, later()))
        .isInstanceOf(RunnerLostException.class)
        .hasMessageContaining("protocol 2");
  }

  @Test
  void aPodWithoutAnAddressHasNoRunner() {
    Pod forged = new PodBuilder(running).editStatus().withPodIP("not one").endStatus().build();
    assertThatThrownBy(() -> session.hello(forged, later()))
        .isInstanceOf(RunnerLostException.class)
        .hasMessage("its Pod declares no address of a runner");
  }

  @Test
  void helloEndsWithThePod() {
    runner.on("/v1/hello", FakeRunner.refusal(503, "NotYet"));
    seen.set(Optional.empty());
    assertThatThrownBy(() -> session.hello(running, later())).isInstanceOf(PodEndedException.class);
  }

  @Test
  void helloIsGivenUpWhenItsTimeIsOver() {
    runner.on("/v1/hello", after(60, FakeRunner.refusal(503, "NotYet")));
    assertThatThrownBy(() -> session.hello(running, clock.instant().plusSeconds(60)))
        .isInstanceOf(RunnerLostException.class);
    assertThat(runner.paths()).hasSize(1);
  }

  @Test
  void aRunIsFollowedToItsResult() throws Exception {
    runner.on(
        "/v1/start",
        FakeRunner.events(
            FakeRunner.started(1), FakeRunner.output(2, 0, "x"), FakeRunner.result(3)));
    assertThat(follow().seq()).isEqualTo(3);
    assertThat(handled).containsExactly(1L, 2L, 3L);
    assertThat(runner.ops()).containsExactly("start");
  }

  @Test
  void aStreamThatIsCutIsTakenUpAfterTheLastEvent() throws Exception {
    runner.on("/v1/start", FakeRunner.events(FakeRunner.started(1), FakeRunner.output(2, 0, "x")));
    runner.on(
        "/v1/attach",
        FakeRunner.nothing(),
        FakeRunner.events(FakeRunner.output(3, 1, "y")),
        FakeRunner.events(FakeRunner.result(4)));
    assertThat(follow().seq()).isEqualTo(4);
    assertThat(handled).containsExactly(1L, 2L, 3L, 4L);
    assertThat(runner.ops()).startsWith("start", "attach").endsWith("attach");
    assertThat(runner.ops().stream().filter("start"::equals)).hasSize(1);
    assertThat(runner.accepted().get(1).path("afterSeq").asLong()).isEqualTo(2);
    assertThat(runner.accepted().getLast().path("afterSeq").asLong()).isEqualTo(3);
  }

  @Test
  void aStartOfWhichNothingCameIsRepeatedAndAnAttachIsNot() throws Exception {
    runner.on(
        "/v1/start",
        FakeRunner.events(),
        FakeRunner.events("{\"type\":\"ping\"}"),
        FakeRunner.events(FakeRunner.result(1)));
    assertThat(follow().seq()).isEqualTo(1);
    assertThat(runner.ops()).containsExactly("start", "start", "start");
  }

  @Test
  void aStartThatWasSignedBeforeIsSentAsItIsAndARepeatIsSignedAgain() throws Exception {
    SignedStart signed = client.signStart(binding());
    clock.advance(Duration.ofSeconds(29));
    runner.on("/v1/start", FakeRunner.events(), FakeRunner.events(FakeRunner.result(1)));
    follow(signed);
    assertThat(secondsUntilRefused()).containsExactly(571L, 600L);
  }

  @Test
  void aStartThatWasSignedLongAgoIsSignedAgain() throws Exception {
    SignedStart signed = client.signStart(binding());
    clock.advance(Duration.ofSeconds(30));
    runner.on("/v1/start", FakeRunner.events(FakeRunner.result(1)));
    follow(signed);
    assertThat(secondsUntilRefused()).containsExactly(600L);
  }

  private List<Long> secondsUntilRefused() {
    return runner.accepted().stream()
        .map(body -> Instant.ofEpochMilli(body.path("notAfter").asLong()))
        .map(notAfter -> Duration.between(clock.instant(), notAfter).toSeconds())
        .toList();
  }

  @Test
  void anEventThatCouldNotBeHandledComesAgain() throws Exception {
    runner.on("/v1/start", FakeRunner.events(FakeRunner.started(1), FakeRunner.output(2, 0, "x")));
    runner.on("/v1/attach", FakeRunner.events(FakeRunner.output(2, 0, "x"), FakeRunner.result(3)));
    List<Long> offered = new ArrayList<>();
    session.follow(
        binding(),
        MAX_BYTES,
        event -> {
          offered.add(event.seq());
          if (offered.size() == 2) {
            throw new IOException("the disk is full");
          }
        },
        later());
    assertThat(offered).containsExactly(1L, 2L, 2L, 3L);
    assertThat(runner.accepted().getLast().path("afterSeq").asLong()).isEqualTo(1);
  }

  @Test
  void aRunEndsWithItsPod() {
    runner.on("/v1/start", FakeRunner.events(FakeRunner.started(1)));
    seen.set(Optional.empty());
    assertThatThrownBy(this::follow).isInstanceOf(PodEndedException.class);
    assertThat(handled).containsExactly(1L);
  }

  @Test
  void aPodThatHasEndedOrIsAnotherOneOfTheSameNameIsGone() {
    Pod ended = new PodBuilder(running).editStatus().withPhase("Failed").endStatus().build();
    Pod other = new PodBuilder(running).editMetadata().withUid("other").endMetadata().build();
    for (Pod pod : List.of(ended, other)) {
      runner.on("/v1/start", FakeRunner.events());
      seen.set(Optional.of(pod));
      assertThatThrownBy(this::follow).isInstanceOf(PodEndedException.class);
    }
  }

  @Test
  void aRunnerThatCannotBeReachedIsGivenUpWhenTheTimeIsOver() {
    runner.on("/v1/start", FakeRunner.events(FakeRunner.started(1)));
    runner.on("/v1/attach", FakeRunner.nothing(), after(3600, FakeRunner.nothing()));
    assertThatThrownBy(this::follow).isInstanceOf(RunnerLostException.class);
    assertThat(runner.ops()).startsWith("start", "attach", "attach");
  }

  @Test
  void aRefusalIsNotTriedAgain() {
    runner.on("/v1/start", FakeRunner.refusal(409, "RunMismatch"));
    assertThatThrownBy(this::follow)
        .isInstanceOf(RunnerLostException.class)
        .hasMessageContaining("RunMismatch");
    assertThat(runner.ops()).containsExactly("start");
  }

  @Test
  void aRunnerThatBreaksTheProtocolIsNotFollowedAnyFurther() {
    for (FakeRunner.Answer hostile :
        List.of(
            FakeRunner.events(FakeRunner.started(5)),
            FakeRunner.events("nonsense"),
            FakeRunner.events("x".repeat((int) MAX_BYTES + 1)))) {
      runner.on("/v1/start", hostile);
      assertThatThrownBy(this::follow)
          .isInstanceOf(RunnerLostException.class)
          .hasMessageContaining("violated the protocol");
    }
    assertThat(runner.ops()).containsExactly("start", "start", "start");
  }

  private RunnerEvent.Result follow() throws Exception {
    return session.follow(binding(), MAX_BYTES, event -> handled.add(event.seq()), later());
  }

  private void follow(SignedStart signed) throws Exception {
    var unused =
        session.follow(binding(), signed, MAX_BYTES, event -> handled.add(event.seq()), later());
  }

  private Instant later() {
    return clock.instant().plusSeconds(3600);
  }

  /** Advances the clock before the response continues. */
  private FakeRunner.Answer after(long seconds, FakeRunner.Answer answer) {
    return exchange -> {
      clock.advance(Duration.ofSeconds(seconds));
      answer.to(exchange);
    };
  }

  private Binding binding() {
    return new Binding(
        runner.address(),
        Samples.NAMESPACE,
        Samples.RUN_UID,
        Samples.POD_UID,
        FakeRunner.NONCE,
        key);
  }

  @Test
  void aHelloWithoutContentIsAPassingFailure() throws Exception {
    String whole = FakeRunner.helloOf(Samples.POD_UID);
    for (String hostile :
        List.of(
            "null",
            whole.replace("\"" + Samples.POD_UID + "\"", "null"),
            whole.replace("\"" + FakeRunner.NONCE + "\"", "null"),
            whole.replace(FakeRunner.NONCE, "n".repeat(65)))) {
      runner.on("/v1/hello", FakeRunner.json(200, hostile), FakeRunner.json(200, whole));
      assertThat(session.hello(running, later()).nonce()).isEqualTo(FakeRunner.NONCE);
    }
  }
}
