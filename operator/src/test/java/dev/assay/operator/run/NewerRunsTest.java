package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.FakeRunner;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that a newer version has created or continued. */
class NewerRunsTest {
  private final ReconcilerFixture f = new ReconcilerFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/spec,language,rust",
    "/spec,mode,turbo",
    "/status,phase,Paused",
    "/status,reason,WaitingForLicense"
  })
  void aRunWithAConstantThatIsNotKnownIsLeftAlone(String part, String member, String value) {
    f.api.change(Samples.run(), run -> run.withObject(part).put(member, value));

    assertIsLeftAlone();
  }

  @Test
  void aRunOfAKindOfWorkThatIsNotKnownIsLeftAlone() {
    f.api.change(
        Samples.run(),
        run -> {
          run.withObject("/spec").remove("code");
          run.withObject("/spec/notebook").put("cells", 1);
        });

    assertIsLeftAlone();
  }

  @Test
  void oneThatIsToBeCancelledIsNotEnded() {
    f.api.change(
        Samples.run(),
        run -> {
          run.withObject("/spec").put("cancel", true);
          run.withObject("/status").put("phase", "Paused");
        });

    assertIsLeftAlone();
  }

  @Test
  void oneWhosePodIsGoneIsNotEndedAfterATakeover() {
    f.runIsBound();
    f.api.change(Samples.run(), NewerRunsTest::isPaused);
    f.operatorRestarts(f.executions);

    assertIsLeftAlone();
  }

  @Test
  void oneWhosePodIsThereIsNotResumedAfterATakeover() {
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.runIsBound();
      f.podIs(pod -> f.reachableAt(pod, runner.port()));
      f.api.change(Samples.run(), NewerRunsTest::isPaused);
      f.operatorRestarts(f.executions);

      assertIsLeftAlone();
    }
  }

  @Test
  void oneThatHasEndedForAReasonThatIsNotKnownIsKeptThoughItHasExpired() {
    f.podIs(pod -> pod);
    f.api.change(
        Samples.run(),
        run ->
            run.withObject("/status")
                .put("phase", "Succeeded")
                .put("reason", "CompletedInPart")
                .withObject("/timings")
                .put("finished", f.clock.instant().toString()));
    f.clock.advance(Duration.ofDays(365));

    assertIsLeftAlone();
    assertThat(f.api.find(Samples.run())).isPresent();
  }

  @Test
  void aFieldThatIsNotKnownIsNoReasonToLeaveARunAlone() {
    f.api.change(Samples.run(), run -> run.withObject("/spec").put("priority", 3));

    f.reconcile();

    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void whatANewerVersionHasAddedStaysWhenTheRunIsEnded() {
    f.runIsBound();
    f.api.change(
        Samples.run(),
        run -> {
          for (String part :
              List.of(
                  "",
                  "/metadata",
                  "/spec",
                  "/status",
                  "/status/pod",
                  "/status/conditions/0",
                  "/status/timings")) {
            ((ObjectNode) run.at(part)).put("new", "stays");
          }
        });
    f.operatorRestarts(f.executions);

    f.reconcile();

    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    JsonNode run = f.api.json(Samples.run());
    for (String part :
        List.of(
            "",
            "/metadata",
            "/spec",
            "/status",
            "/status/pod",
            "/status/conditions/0",
            "/status/timings")) {
      assertThat(run.at(part + "/new").asText()).as(part).isEqualTo("stays");
    }
  }

  private static void isPaused(ObjectNode run) {
    run.withObject("/status").put("phase", "Paused");
  }

  private void assertIsLeftAlone() {
    assertThat(f.reconcile()).isNull();
    f.executions.runAll();

    assertThat(
            Stream.of("POST", "PATCH", "PUT", "DELETE")
                .flatMap(
                    method ->
                        f.api.requests(method, "/namespaces/" + Samples.NAMESPACE + "/").stream()))
        .isEmpty();
    AnalyticsRun run = f.read();
    assertThat(RunState.isActive(run)).isFalse();
    assertThat(RunState.statusOf(run).phase()).isNotEqualTo(RunPhase.Failed);
  }
}
