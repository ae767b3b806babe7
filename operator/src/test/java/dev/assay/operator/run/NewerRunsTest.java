package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
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
  void a_run_with_a_constant_that_is_not_known_is_left_alone(
      String part, String member, String value) {
    f.api.change(Samples.run(), run -> run.withObject(part).put(member, value));

    assertIsLeftAlone();
  }

  @Test
  void a_run_of_a_kind_of_work_that_is_not_known_is_left_alone() {
    f.api.change(
        Samples.run(),
        run -> {
          run.withObject("/spec").remove("code");
          run.withObject("/spec/notebook").put("cells", 1);
        });

    assertIsLeftAlone();
  }

  @Test
  void one_that_is_to_be_cancelled_is_not_ended() {
    f.api.change(
        Samples.run(),
        run -> {
          run.withObject("/spec").put("cancel", true);
          run.withObject("/status").put("phase", "Paused");
        });

    assertIsLeftAlone();
  }

  @Test
  void one_whose_pod_is_gone_is_not_ended_after_a_takeover() {
    f.runIsBound();
    f.api.change(Samples.run(), NewerRunsTest::isPaused);
    f.operatorRestarts(f.executions);

    assertIsLeftAlone();
  }

  @Test
  void one_whose_pod_is_there_is_not_resumed_after_a_takeover() {
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.runIsBound();
      f.podIs(pod -> f.reachableAt(pod, runner.port()));
      f.api.change(Samples.run(), NewerRunsTest::isPaused);
      f.operatorRestarts(f.executions);

      assertIsLeftAlone();
    }
  }

  @Test
  void one_that_has_ended_for_a_reason_that_is_not_known_is_kept_though_it_has_expired() {
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
  void a_field_that_is_not_known_is_no_reason_to_leave_a_run_alone() {
    f.api.change(Samples.run(), run -> run.withObject("/spec").put("priority", 3));

    f.reconcile();

    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void what_a_newer_version_has_added_stays_when_the_run_is_ended() {
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
