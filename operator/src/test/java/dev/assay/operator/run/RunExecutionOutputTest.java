package dev.assay.operator.run;

import static dev.assay.operator.run.ExecutionFixture.OUTPUT_LIMIT;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Output on its way to the store: without gaps, within its limit, and lost by no failure. */
class RunExecutionOutputTest {
  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void outputWithAGapIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, 8, "far"));
  }

  @Test
  void outputThatOverlapsWhatCameBeforeIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, 5, "so much more"));
  }

  @Test
  void outputBeyondTheLimitIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, 7, "x".repeat(OUTPUT_LIMIT)));
  }

  @Test
  void outputBeyondAllNumbersIsNotFollowedAnyFurther() throws Exception {
    assertViolation(output(3, Long.MAX_VALUE, "xx"));
  }

  private void assertViolation(String event) throws InterruptedException {
    f.runner.on("/v1/start", events(started(1), output(2, 0, "so far\n"), event));
    assertThat(f.execution().run()).isTrue();
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().message()).contains("broke its protocol");
    assertThat(written().output()).isEqualTo("so far\n");
    assertThat(f.output()).isEqualTo("so far\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start");
    assertThat(f.podIsDeleted()).isTrue();
  }

  @Test
  void outputThatCannotBeStoredComesAgainUntilItIs() throws Exception {
    f.outputs.failNext(2);
    f.runner.on("/v1/start", events(started(1), output(2, 0, "one\n"), output(3, 4, "two\n")));
    f.runner.on(
        "/v1/attach",
        events(output(2, 0, "one\n"), output(3, 4, "two\n"), result(4, "Succeeded", 8)));
    assertThat(f.execution().run()).isTrue();
    assertThat(f.output()).isEqualTo("one\ntwo\n");
    assertThat(written().output()).isEqualTo("one\ntwo\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "attach", "attach", "ack");
    assertThat(f.runner.accepted().get(3).path("afterSeq").asLong()).isEqualTo(1);
  }

  @Test
  void outputThatComesAgainIsStoredOnce() throws Exception {
    f.runner.on("/v1/start", nothing(), events(started(1), output(2, 0, "one\n")));
    f.runner.on("/v1/attach", events(output(3, 4, "two\n"), result(4, "Succeeded", 8)));
    assertThat(f.execution().run()).isTrue();
    assertThat(f.output()).isEqualTo("one\ntwo\n");
    assertThat(f.runner.ops()).containsExactly("stage", "start", "start", "attach", "ack");
  }

  private RunResult written() {
    return Objects.requireNonNull(f.status().result());
  }
}
