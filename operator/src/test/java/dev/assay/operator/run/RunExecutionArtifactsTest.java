package dev.assay.operator.run;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.runner.FakeRunner.artifact;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.runner.FakeRunner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of the files that code leaves. */
class RunExecutionArtifactsTest {
  private final ExecutionFixture f = new ExecutionFixture();

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
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().artifactList())
        .containsExactly(
            new RunArtifact("data/a.csv", 4, sha256("a,b\n"), "text/csv"),
            new RunArtifact("reports/r.html", 6, sha256("<html>"), "text/html"));
    assertThat(f.status().artifactsMessage()).isNull();
    assertThat(stored(1)).isEqualTo("a,b\n");
    assertThat(stored(2)).isEqualTo("<html>");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "artifact", "artifact", "ack");
    assertThat(f.services.outputs().entries(NAMESPACE))
        .extracting(OutputEntry::artifactBytes)
        .containsExactly(10L);
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
    assertThat(f.execution().run()).isTrue();
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
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().artifacts()).isNull();
    assertThat(f.status().artifactsMessage()).isEqualTo("2 links");
  }

  @Test
  void anArtifactThatAnEarlierOperatorHasStoredIsNotFetchedAgain() throws Exception {
    f.outputs.putArtifact(NAMESPACE, RUN_UID, 1, 4, new ByteArrayInputStream(bytes("a,b\n")));
    f.runner.artifacts.put(2, bytes("new"));
    f.runner.on("/v1/hello", FakeRunner.json(200, boundHello()));
    f.runner.on(
        "/v1/start",
        events(
            started(1),
            artifact(2, 1, "a.csv", 4),
            artifact(3, 2, "b.txt", 3),
            result(4, "Succeeded", 0)));
    bind();
    assertThat(f.execution().run()).isTrue();
    assertThat(f.runner.ops()).containsExactly("start", "artifact", "ack");
    assertThat(f.status().artifactList())
        .containsExactly(
            new RunArtifact("a.csv", 4, sha256("a,b\n"), "text/csv"),
            new RunArtifact("b.txt", 3, sha256("new"), "text/plain"));
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
    assertThat(f.execution().run()).isTrue();
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
    // The look whether it is stored, and the artifact itself.
    f.outputs.failAfter(2);
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
      assertThat(f.execution().run()).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aFetchThatBreaksOffIsRepeated() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    f.runner.on(
        "/v1/artifact",
        exchange -> {
          exchange.sendResponseHeaders(200, 5);
          exchange
              .getResponseBody()
              .write(bytes("hello"), 0, attempts.incrementAndGet() < 3 ? 2 : 5);
          exchange.getResponseBody().flush();
          if (attempts.get() < 3) {
            throw new IOException("cut");
          }
        });
    f.runner.on("/v1/start", events(started(1), artifact(2, 1, "a", 5), result(3, "Succeeded", 0)));
    assertThat(f.execution().run()).isTrue();
    assertThat(stored(1)).isEqualTo("hello");
    assertThat(attempts).hasValue(3);
    assertThat(f.status().artifactsMessage()).isNull();
  }

  @Test
  void anArtifactThatThePodDoesNotDeliverIsLeftOutAndTheLastTakesItsNumber() throws Exception {
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
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.status().artifactList()).extracting(RunArtifact::path).containsExactly("a", "c");
    assertThat(stored(2)).isEqualTo("three");
    assertThat(f.status().artifactsMessage())
        .isEqualTo("2 of the files could not be fetched from the Pod, such as \"lost.csv\"");
  }

  @Test
  void aPodThatNeverDeliversDoesNotHoldUpItsRun() throws Exception {
    f.runner.on("/v1/artifact", FakeRunner.nothing());
    f.runner.on(
        "/v1/start",
        events(
            started(1), artifact(2, 1, "a", 3), artifact(3, 2, "b", 3), result(4, "Succeeded", 0)));
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.status().artifacts()).isNull();
    assertThat(f.status().artifactsMessage()).startsWith("2 of the files could not be fetched");
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
        List.of(artifact(2, 1, "a", Long.MAX_VALUE), artifact(3, 2, "b", Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void aPodThatLiesIsNotFollowedAnyFurther(List<String> lies) throws Exception {
    List<String> lines = new ArrayList<>(List.of(started(1)));
    lines.addAll(lies);
    f.runner.on("/v1/start", events(lines.toArray(String[]::new)));
    assertThat(f.execution().run()).isTrue();
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
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().message())
        .contains("artifact 101 came after artifact 100 of at most 100");
  }

  @Test
  void otherBytesThanAnEarlierOperatorStoredAreAViolation() throws Exception {
    f.outputs.putArtifact(NAMESPACE, RUN_UID, 1, 5, new ByteArrayInputStream(bytes("other")));
    f.runner.artifacts.put(1, bytes("one"));
    f.runner.on("/v1/hello", FakeRunner.json(200, boundHello()));
    f.runner.on("/v1/start", events(started(1), artifact(2, 1, "a", 3), result(3, "Succeeded", 0)));
    bind();
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(stored(1)).isEqualTo("other");
  }

  @Test
  void aContainerThatEndedLeavesNothingAndTheStatusSaysSo() throws Exception {
    f.runner.on("/v1/start", events(started(1), result(2, "WorkerLost", 0)));
    f.podBecomes(pod -> pod);
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().artifactsMessage())
        .isEqualTo("No files were collected: the whole container ended before they could be");
  }

  @Test
  void aPodThatEndedLeavesNothingAndTheStatusSaysSo() throws Exception {
    f.runner.on("/v1/start", events(started(1)).then(FakeRunner.meanwhile(f::podGoes)));
    f.runner.on("/v1/attach", FakeRunner.nothing());
    assertThat(f.execution().run()).isTrue();
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
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Failed);
    assertThat(f.status().reason()).isEqualTo(RunReason.GuardRefused);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.status().message()).isEqualTo("Code safety validation failed: import os");
  }

  private void bind() {
    f.runBecomes(
        run -> {
          run.setStatus(
              RunTransitions.bound(
                      run,
                      BoundPodBuilder.builder()
                          .name("run-" + RUN_UID)
                          .uid(Samples.POD_UID)
                          .nonce(FakeRunner.NONCE)
                          .build(),
                      new RunTransitions.Pinned(List.of(), List.of()),
                      Samples.CREATED,
                      f.clock.instant(),
                      f.clock.instant())
                  .orElseThrow());
          return run;
        });
  }

  private static String boundHello() {
    return FakeRunner.helloOf(Samples.POD_UID, "Started");
  }

  private String stored(int number) throws IOException {
    return new String(
        f.outputs.artifact(NAMESPACE, RUN_UID, number, 0).orElseThrow().content().readAllBytes(),
        UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String sha256(String text) {
    return Sha256.hex(bytes(text));
  }
}
