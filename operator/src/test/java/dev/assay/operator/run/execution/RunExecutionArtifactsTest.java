package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.runner.FakeRunner.artifact;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of the files that code leaves. */
@Tag("slow")
@ParameterizedClass
@EnumSource
class RunExecutionArtifactsTest {
  /** How a runner delivers artifacts. */
  enum Runner {
    /** A request for each, as before there was another way. */
    ONE_AT_A_TIME("/v1/artifact"),
    STREAM("/v1/artifacts");

    private final String path;

    Runner(String path) {
      this.path = path;
    }

    String[] features() {
      return this == STREAM
          ? new String[] {"artifacts", "artifactStream"}
          : new String[] {"artifacts"};
    }
  }

  private final ExecutionFixture f = new ExecutionFixture();
  private final Runner runner;

  RunExecutionArtifactsTest(Runner runner) {
    this.runner = runner;
    f.runner.on("/v1/hello", FakeRunner.json(200, FakeRunner.helloWith(runner.features())));
  }

  @AfterEach
  void stop() {
    f.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Succeeded", "CodeError", "DeadlineExceeded", "Cancelled"})
  void artifactsAreStoredBeforeTheRunnerMayForgetThemWhateverTheOutcome(String outcome)
      throws Exception {
    f.runner.artifacts.put(1, bytes("a,b\n"));
    f.runner.artifacts.put(2, bytes("<html>"));
    f.runner.on(
        "/v1/start",
        events(
            started(1),
            artifact(2, 1, "data/a.csv", 4),
            artifact(3, 2, "reports/r.html", 6),
            result(4, outcome, 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().artifactList())
        .containsExactly(
            new RunArtifact("data/a.csv", 4, sha256("a,b\n"), "text/csv"),
            new RunArtifact("reports/r.html", 6, sha256("<html>"), "text/html"));
    assertThat(f.status().artifactsMessage()).isNull();
    assertThat(stored(1)).isEqualTo("a,b\n");
    assertThat(stored(2)).isEqualTo("<html>");
    assertThatTwoWereFetched();
    assertThat(f.services.outputs().entries(NAMESPACE))
        .extracting(OutputEntry::artifactBytes)
        .containsExactly(10L);
  }

  @Test
  void artifactsThatCameWithTheirEventsAreNotFetched() throws Exception {
    f.runner.on(
        "/v1/start",
        events(
            started(1),
            artifact(2, 1, "a", 3, bytes("one")),
            artifact(3, 2, "empty", 0, bytes("")),
            result(4, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().artifactList())
        .extracting(RunArtifact::path, RunArtifact::sha256)
        .containsExactly(tuple("a", sha256("one")), tuple("empty", sha256("")));
    assertThat(stored(1)).isEqualTo("one");
    assertThat(stored(2)).isEmpty();
    assertThat(f.status().artifactsMessage()).isNull();
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
  }

  @Test
  void artifactsFromTheFirstOneWithoutDataOnAreFetched() throws Exception {
    f.runner.artifacts.put(2, bytes("two"));
    f.runner.artifacts.put(3, bytes("three"));
    f.runner.on(
        "/v1/start",
        events(
            started(1),
            artifact(2, 1, "a", 3, bytes("one")),
            artifact(3, 2, "b", 3),
            artifact(4, 3, "c", 5, bytes("THREE")),
            result(5, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(List.of(stored(1), stored(2), stored(3))).containsExactly("one", "two", "three");
    assertThatTwoWereFetched();
  }

  @Test
  void artifactsThatCameWithTheirEventsAreStoredWhenTheStoreIsBack() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), artifact(2, 1, "a", 3, bytes("one")), result(3, "Succeeded", 0)));
    f.runner.on("/v1/attach", events(result(3, "Succeeded", 0)));
    f.outputs.failNext(2);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(stored(1)).isEqualTo("one");
    assertThat(f.runner.ops()).doesNotContain("artifact", "artifacts").endsWith("ack");
  }

  @Test
  void aHundredArtifactsKeepTheirNumbers() throws Exception {
    List<String> lines = new ArrayList<>(List.of(started(1)));
    for (int number = 1; number <= 100; number++) {
      String text = "file " + number;
      f.runner.artifacts.put(number, bytes(text));
      lines.add(artifact(number + 1, number, "artifacts/" + number + ".txt", text.length()));
    }
    lines.add(result(102, "Succeeded", 0));
    f.runner.on("/v1/start", events(lines.toArray(String[]::new)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    List<RunArtifact> artifacts = f.status().artifactList();
    assertThat(artifacts).hasSize(100);
    for (int number = 1; number <= 100; number++) {
      assertThat(artifacts.get(number - 1).path()).isEqualTo("artifacts/" + number + ".txt");
      assertThat(stored(number)).isEqualTo("file " + number);
    }
  }

  @Test
  void whatTheRunnerLeftOutIsInTheStatus() throws Exception {
    f.runner.on(
        "/v1/start",
        events(
            started(1),
            result(2, "Succeeded", 0)
                .replace("\"durationMs\"", "\"artifactsMessage\":\"2 links\",\"durationMs\"")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().artifacts()).isNull();
    assertThat(f.status().artifactsMessage()).isEqualTo("2 links");
  }

  @Test
  void artifactsThatAnEarlierOperatorHasStoredAreNotFetchedAgain() throws Exception {
    f.outputs.put(NAMESPACE, RUN_UID, Map.of("a.csv", bytes("a,b\n")));
    f.runner.on("/v1/hello", FakeRunner.json(200, boundHello()));
    f.runner.on(
        "/v1/start", events(started(1), artifact(2, 1, "a.csv", 4), result(3, "Succeeded", 0)));
    bind();
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.ops()).containsExactly("start", "ack");
    assertThat(f.status().artifactList())
        .containsExactly(new RunArtifact("a.csv", 4, sha256("a,b\n"), "text/csv"));
  }

  @Test
  void whatAnEarlierOperatorHasStoredIsListedAlthoughThePodIsLost() throws Exception {
    f.outputs.put(NAMESPACE, RUN_UID, Map.of("a.csv", bytes("a,b\n")));
    bind();
    f.runner.on("/v1/hello", FakeRunner.json(200, boundHello()));
    f.runner.on("/v1/start", FakeRunner.meanwhile(f::podGoes).then(FakeRunner.nothing()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().artifactList())
        .containsExactly(new RunArtifact("a.csv", 4, sha256("a,b\n"), "text/csv"));
    assertThat(f.status().artifactsMessage()).isNull();
  }

  @Test
  void artifactsThatCannotBeStoredAreStoredWhenTheStoreIsBack() throws Exception {
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.artifacts.put(2, bytes("two"));
    f.runner.on(
        "/v1/start",
        events(
            started(1), artifact(2, 1, "a", 3), artifact(3, 2, "b", 3), result(4, "Succeeded", 0)));
    f.runner.on("/v1/attach", events(result(4, "Succeeded", 0)));
    f.outputs.failNext(2);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(stored(1)).isEqualTo("one");
    assertThat(stored(2)).isEqualTo("two");
    assertThat(f.runner.ops()).contains("attach").endsWith("ack");
  }

  @Test
  void anEndIsWrittenOnlyOnceTheArtifactsAreDurable() throws Exception {
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.on("/v1/start", events(started(1), artifact(2, 1, "a", 3), result(3, "Succeeded", 0)));
    f.runner.on("/v1/attach", events(result(3, "Succeeded", 0)));
    // The look whether they are stored, the beginning, and the artifact itself.
    f.outputs.failAfter(3);
    Thread execution = Thread.ofVirtual().start(this::runQuietly);
    f.awaitWritten(RunReason.OutputStoreUnavailable);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Running);
    f.outputs.failNext(0);
    execution.join();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.status().artifactList()).hasSize(1);
  }

  private void runQuietly() {
    try {
      assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aFetchThatBreaksOffIsRepeated() throws Exception {
    byte[] whole = runner == Runner.STREAM ? FakeRunner.frame(1, bytes("hello")) : bytes("hello");
    AtomicInteger attempts = new AtomicInteger();
    f.runner.on(
        runner.path,
        exchange -> {
          int sent = attempts.incrementAndGet() < 3 ? whole.length - 3 : whole.length;
          exchange.sendResponseHeaders(200, whole.length);
          exchange.getResponseBody().write(whole, 0, sent);
          exchange.getResponseBody().flush();
          if (sent < whole.length) {
            throw new IOException("cut");
          }
        });
    f.runner.on("/v1/start", events(started(1), artifact(2, 1, "a", 5), result(3, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(stored(1)).isEqualTo("hello");
    assertThat(attempts).hasValue(3);
    assertThat(f.status().artifactsMessage()).isNull();
  }

  @Test
  void anArtifactThatThePodDoesNotDeliverIsLeftOutAndTheNextTakesItsNumber() throws Exception {
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.artifacts.put(3, bytes("three"));
    f.runner.on(
        "/v1/start",
        events(
            started(1),
            artifact(2, 1, "a", 3),
            artifact(3, 2, "lost.csv", 3),
            artifact(4, 3, "c", 5),
            artifact(5, 4, "lost too", 1),
            result(6, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.status().artifactList()).extracting(RunArtifact::path).containsExactly("a", "c");
    assertThat(stored(1)).isEqualTo("one");
    assertThat(stored(2)).isEqualTo("three");
    assertThat(f.outputs.artifact(NAMESPACE, RUN_UID, 3, 0, 1)).isEmpty();
    assertThat(f.services.outputs().entries(NAMESPACE))
        .as("only what was delivered counts")
        .extracting(OutputEntry::artifactBytes)
        .containsExactly(8L);
    assertThat(f.status().artifactsMessage())
        .isEqualTo("2 of the files could not be fetched from the Pod, such as \"lost.csv\"");
  }

  @Test
  void aPodThatNeverDeliversDoesNotHoldUpItsRun() throws Exception {
    f.runner.on(runner.path, FakeRunner.nothing());
    f.runner.on(
        "/v1/start",
        events(
            started(1), artifact(2, 1, "a", 3), artifact(3, 2, "b", 3), result(4, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.status().artifacts()).isNull();
    assertThat(f.status().artifactsMessage()).startsWith("2 of the files could not be fetched");
  }

  @Test
  void aPodThatRefusesEachFileSlowlyHasNoMoreTimeThanOneThatDeliversThem() throws Exception {
    int files = 100;
    List<String> lines = new ArrayList<>(List.of(started(1)));
    for (int number = 1; number <= files; number++) {
      lines.add(artifact(number + 1, number, "f" + number, 0));
    }
    lines.add(result(files + 2, "Succeeded", 0));
    f.runner.on("/v1/start", events(lines.toArray(String[]::new)));
    f.runner.on(
        runner.path,
        FakeRunner.meanwhile(() -> f.clock.advance(Duration.ofSeconds(10)))
            .then(FakeRunner.refusal(404, "NotFound")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.runner.ops())
        .filteredOn(op -> op.startsWith("artifact"))
        .as("30 seconds are over")
        .hasSizeLessThanOrEqualTo(3);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.status().artifactsMessage()).startsWith("100 of the files could not be fetched");
  }

  @Test
  void anOperatorThatWasSuspendedBeforeItFetchesDoesNotStoreThatFilesAreLost() throws Exception {
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.on("/v1/start", events(started(1), artifact(2, 1, "a", 3), result(3, "Succeeded", 0)));
    f.outputs.onSpace = () -> f.clock.advance(Duration.ofHours(1));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().artifactList()).hasSize(1);
    assertThat(f.status().artifactsMessage()).isNull();
  }

  static List<List<String>> lies() {
    return List.of(
        List.of(artifact(2, 2, "a", 1)),
        List.of(artifact(2, 1, "a", 1), artifact(3, 3, "b", 1)),
        List.of(artifact(2, 1, "a", 1), artifact(3, 1, "b", 1)),
        List.of(artifact(2, 1, "a", 1), artifact(3, 2, "a", 1)),
        List.of(artifact(2, 1, "../a", 1)),
        List.of(artifact(2, 1, "a", (64L << 20) + 1)),
        List.of(artifact(2, 1, "a", 60L << 20), artifact(3, 2, "b", 60L << 20)),
        List.of(artifact(2, 1, "a", 4, bytes("one"))),
        List.of(artifact(2, 1, "a", 16_385, new byte[16_385])),
        List.of(
            artifact(2, 1, "a", 9_000, new byte[9_000]),
            artifact(3, 2, "b", 9_000, new byte[9_000])),
        List.of(artifact(2, 1, "a", Long.MAX_VALUE), artifact(3, 2, "b", Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void aPodThatLiesIsNotFollowedAnyFurther(List<String> lies) throws Exception {
    List<String> lines = new ArrayList<>(List.of(started(1)));
    lines.addAll(lies);
    f.runner.on("/v1/start", events(lines.toArray(String[]::new)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("violated the protocol");
    assertThat(f.status().artifacts()).isNull();
    assertThat(f.runner.ops()).containsExactly("stage", "start");
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void moreArtifactsThanTheClassAllowsAreAViolation() throws Exception {
    List<String> lines = new ArrayList<>(List.of(started(1)));
    for (int number = 1; number <= 101; number++) {
      lines.add(artifact(number + 1, number, "f" + number, 0));
    }
    f.runner.on("/v1/start", events(lines.toArray(String[]::new)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().message())
        .contains("artifact 101 came after artifact 100 of at most 100");
  }

  @Test
  void whatWasStoredFirstStaysWhateverThePodAnnouncesLater() throws Exception {
    f.outputs.put(NAMESPACE, RUN_UID, Map.of("a", bytes("other")));
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.on("/v1/hello", FakeRunner.json(200, boundHello()));
    f.runner.on("/v1/start", events(started(1), artifact(2, 1, "b", 3), result(3, "Succeeded", 0)));
    bind();
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().artifactList()).extracting(RunArtifact::path).containsExactly("a");
    assertThat(stored(1)).isEqualTo("other");
  }

  @Test
  void filesAreListedThatWereStoredBeforeThePodWasLost() throws Exception {
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.on(
        "/v1/start",
        events(
            started(1), output(2, 0, "text"), artifact(3, 1, "a", 3), result(4, "Succeeded", 4)));
    f.runner.on("/v1/attach", FakeRunner.meanwhile(f::podGoes).then(FakeRunner.nothing()));
    // The output, the three steps of the artifacts and the look before them, and no more.
    f.outputs.failAfter(5);
    Thread execution = Thread.ofVirtual().start(this::runQuietly);
    f.awaitEvent(RunReason.OutputStoreUnavailable);
    f.outputs.failNext(0);
    execution.join();
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().artifactList()).extracting(RunArtifact::path).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(ints = {62, 63, 64, 65, 200})
  void theNameOfALostFileIsNotCutWithinACharacter(int length) throws Exception {
    String path = "a".repeat(length) + "\ud83d\udcc8";
    f.runner.on(
        "/v1/start", events(started(1), artifact(2, 1, path, 3), result(3, "Succeeded", 0)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    String message = requireNonNull(f.status().artifactsMessage());
    assertThat(UTF_8.newEncoder().canEncode(message)).as(message).isTrue();
    assertThat(message).contains("such as \"" + "a".repeat(Math.min(length, 63)));
  }

  @Test
  void aContainerThatEndedLeavesNothingAndTheStatusSaysSo() throws Exception {
    f.runner.on("/v1/start", events(started(1), result(2, "WorkerLost", 0)));
    f.podBecomes(pod -> pod);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().artifactsMessage())
        .isEqualTo("No files were collected: the worker's container ended first");
  }

  @Test
  void aPodThatEndedLeavesNothingAndTheStatusSaysSo() throws Exception {
    f.runner.on("/v1/start", events(started(1)).then(FakeRunner.meanwhile(f::podGoes)));
    f.runner.on("/v1/attach", FakeRunner.nothing());
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().artifactsMessage()).startsWith("No files were collected");
  }

  @Test
  void codeThatTheGuardRefusesWasNotStartedAndIsNotTriedInAnotherPod() throws Exception {
    f.retryMessage = "again: ";
    f.runner.on(
        "/v1/start",
        events(
            FakeRunner.startFailed(1, "GuardRefused", "Code safety validation failed: import os")));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Failed);
    assertThat(f.status().reason()).isEqualTo(RunReason.GuardRefused);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.status().message()).isEqualTo("Code safety validation failed: import os");
  }

  private void assertThatTwoWereFetched() {
    assertThat(f.runner.ops())
        .containsExactlyElementsOf(
            runner == Runner.STREAM
                ? List.of("stage", "start", "artifacts", "ack")
                : List.of("stage", "start", "artifact", "artifact", "ack"));
  }

  private void bind() {
    f.runBecomes(
        run -> {
          run.setStatus(Bindings.status(run, Bindings.ownPod(FakeRunner.NONCE), f.clock.instant()));
          return run;
        });
  }

  private String boundHello() {
    return FakeRunner.helloWith(runner.features()).replace("\"Idle\"", "\"Started\"");
  }

  private String stored(int number) throws IOException {
    return new String(
        f.outputs
            .artifact(NAMESPACE, RUN_UID, number, 0, Long.MAX_VALUE)
            .orElseThrow()
            .content()
            .readAllBytes(),
        UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String sha256(String text) {
    return Sha256.hex(bytes(text));
  }
}
