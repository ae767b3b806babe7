package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bringing artifacts of earlier runs to the Pod of a run. */
class RunExecutionInputsTest {
  private static final byte[] ROWS = "a,b\n1,2\n".getBytes(UTF_8);
  private static final byte[] FRAME = "ARROW1".getBytes(UTF_8);
  private static final String EARLIER_UID = "44444444-dddd-4ddd-8ddd-444444444444";
  private static final AnalyticsRunSpec SPEC =
      Samples.spec("print(1)", null, null, null)
          .withInputs(
              List.of(
                  new RunInput("earlier", "exports/a.csv", "old/a.csv"),
                  new RunInput("earlier", null, null)));

  private final ExecutionFixture f = new ExecutionFixture();

  @BeforeEach
  void anEarlierRunHasLeftFiles() {
    f.api.put(earlier());
    f.api.put(Samples.run(SPEC, null));
    Map<String, byte[]> left = new LinkedHashMap<>();
    left.put("exports/a.csv", ROWS);
    left.put("frames/sales.arrow", FRAME);
    f.outputs.put(NAMESPACE, EARLIER_UID, left);
    f.runner.on("/v1/hello", json(200, hello()));
    f.runner.on("/v1/input", json(200, "{}"));
    f.runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
  }

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void inputsAreSentBeforeTheJobThatNamesThem() throws Exception {
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(f.runner.ops()).containsExactly("input", "input", "stage", "start", "ack");
    assertThat(f.runner.uploads()).containsExactly(ROWS, FRAME);
    JsonNode first = f.runner.accepted().getFirst();
    assertThat(first.path("number").asInt()).isEqualTo(1);
    assertThat(first.path("sha256").asText()).isEqualTo(Sha256.hex(ROWS));
    assertThat(f.runner.accepted().get(2).path("job").path("inputs"))
        .hasToString(
            "[{\"number\":1,\"path\":\"old/a.csv\"},"
                + "{\"number\":2,\"frame\":\"sales\",\"kind\":\"arrow\"}]");
    assertThat(f.status().inputList())
        .containsExactly(
            new PinnedInput(
                "earlier",
                EARLIER_UID,
                1,
                "exports/a.csv",
                ROWS.length,
                Sha256.hex(ROWS),
                "old/a.csv",
                null),
            new PinnedInput(
                "earlier",
                EARLIER_UID,
                2,
                "frames/sales.arrow",
                FRAME.length,
                Sha256.hex(FRAME),
                null,
                "sales"));
  }

  @Test
  void anInputThatDoesNotArriveIsSentAgain() throws Exception {
    f.runner.on("/v1/input", nothing(), nothing(), json(200, "{}"));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
  }

  @Test
  void aPodThatDoesNotTakeItsInputsIsReplacedBeforeTheRunIsBoundToIt() throws Exception {
    f.retryMessage = "another Pod: ";
    f.runner.on("/v1/input", refusal(503, "InputFailed"));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.podIsDeleted()).isTrue();
    assertThat(f.runner.ops()).containsExactly("input");
    assertThat(f.cachedRun().getStatus()).isNull();
  }

  @Test
  void aPodThatDoesNotTakeTheInputsOfARunThatIsBoundToItIsLeftToWhoMayHaveStartedTheRun()
      throws Exception {
    f.retryMessage = "another Pod: ";
    f.runBecomes(
        run ->
            Samples.run(
                run.getSpec(),
                Bindings.status(run, Bindings.ownPod(FakeRunner.NONCE), f.clock.instant())));
    f.runner.on("/v1/input", refusal(503, "InputFailed"));
    assertThat(f.execution().run()).isEqualTo(Outcome.AGAIN);
    assertThat(f.podIsDeleted()).isFalse();
  }

  @Test
  void aRunWhoseInputsNoPodTakesWasNotStarted() throws Exception {
    f.runner.on("/v1/input", nothing());
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.runner.ops()).doesNotContain("stage", "start");
  }

  @Test
  void anInputThatIsNoLongerStoredEndsTheRun() throws Exception {
    f.outputs.delete(NAMESPACE, EARLIER_UID);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.ArtifactNotFound);
    assertThat(f.status().message())
        .isEqualTo("Artifact \"exports/a.csv\" of run \"earlier\" is no longer stored");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
  }

  @Test
  void aRunThatWasDeletedSinceEndsTheRun() throws Exception {
    f.api.remove(earlier());
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.ArtifactNotFound);
    assertThat(f.status().message()).contains("\"earlier\" was not found");
  }

  @Test
  void aRunnerThatTakesNoInputsIsSentNone() throws Exception {
    f.runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("too old for runs with inputs");
    assertThat(f.runner.ops()).isEmpty();
  }

  private static String hello() {
    return FakeRunner.helloWith("inputs");
  }

  private static AnalyticsRun earlier() {
    AnalyticsRun run =
        Samples.run(
            Samples.spec("1", null, null, null),
            AnalyticsRunStatusBuilder.builder()
                .phase(RunPhase.Succeeded)
                .artifacts(
                    List.of(
                        new RunArtifact("exports/a.csv", ROWS.length, Sha256.hex(ROWS), "text/csv"),
                        new RunArtifact(
                            "frames/sales.arrow",
                            FRAME.length,
                            Sha256.hex(FRAME),
                            "application/vnd.apache.arrow.file")))
                .build());
    run.getMetadata().setName("earlier");
    run.getMetadata().setUid(EARLIER_UID);
    return run;
  }
}
