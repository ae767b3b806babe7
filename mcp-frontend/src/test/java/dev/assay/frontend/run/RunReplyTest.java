package dev.assay.frontend.run;

import static dev.assay.frontend.Fixtures.result;
import static dev.assay.frontend.Fixtures.run;
import static dev.assay.frontend.Fixtures.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.Reply;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunReplyTest {
  @Test
  void successIsTheOutputExactly() {
    Reply reply = RunReply.ended(run("run-a", Fixtures.succeeded("x")), "  a\n\nb\n");

    assertThat(reply.text()).isEqualTo("  a\n\nb\n");
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void aValueFollowsTheOutputWithItsControlCharactersEscaped() {
    assertThat(returning("\"\u009b\u00e4\"", 6L, "a")).isEqualTo("a\n\"\\u009b\u00e4\"");
    assertThat(returning("[\n]", 3L, "")).isEqualTo("[\n]");
  }

  @Test
  void ofAValueThatIsTooLongTheLengthIsSaid() {
    assertThat(returning(null, 9000L, "a\n")).isEqualTo("a\n[value omitted: 9000 bytes]");
  }

  private static String returning(@Nullable String value, long bytes, String output) {
    RunResult result = result(output, null).with().value(value).valueBytes(bytes).build();
    return RunReply.ended(run("run-a", Fixtures.succeeded("").withResult(result)), output).text();
  }

  @Test
  void aTimeLimitInMillisecondsIsToldInSeconds() {
    AnalyticsRun run =
        run(
            "run-a",
            Fixtures.status(
                RunPhase.TimedOut, RunReason.DeadlineExceeded, null, PayloadStarted.Yes, null));
    run.setSpec(run.getSpec().with().timeoutSeconds(null).timeoutMillis(1_250).build());

    assertThat(RunReply.ended(run, "").text())
        .isEqualTo("TIMEOUT: Code execution exceeded 1.25 second limit");
  }

  @Test
  void successWithoutOutputIsAnEmptyText() {
    assertThat(RunReply.ended(run("run-a", Fixtures.succeeded("")), "").text()).isEmpty();
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        failure(
            "an error keeps what was printed before it",
            RunPhase.Failed,
            RunReason.CodeError,
            "ignored",
            PayloadStarted.Yes,
            RunErrorBuilder.builder()
                .type("KeyError")
                .message("'x'")
                .line(3)
                .traceback("Traceback (most recent call last):\n  line\n")
                .build(),
            "before\n",
            "before\nERROR: KeyError: 'x'\nTraceback:\nTraceback (most recent call last):\n  line"),
        failure(
            "an error that has a code",
            RunPhase.Failed,
            RunReason.CodeError,
            "ignored",
            PayloadStarted.Yes,
            RunErrorBuilder.builder()
                .type("CatalogError")
                .message("no column x")
                .code("COLUMN_NOT_FOUND")
                .build(),
            "",
            "ERROR: CatalogError [COLUMN_NOT_FOUND]: no column x"),
        failure(
            "an error begins on a line of its own",
            RunPhase.Failed,
            RunReason.CodeError,
            "ignored",
            PayloadStarted.Yes,
            RunErrorBuilder.builder().type("ValueError").message("no").build(),
            "no line end",
            "no line end\nERROR: ValueError: no"),
        failure(
            "an error without message",
            RunPhase.Failed,
            RunReason.CodeError,
            "ignored",
            PayloadStarted.Yes,
            RunErrorBuilder.builder()
                .type("AssertionError")
                .message("")
                .line(1)
                .traceback("tb")
                .build(),
            "",
            "ERROR: AssertionError: \nTraceback:\ntb"),
        failure(
            "an error that was not described",
            RunPhase.Failed,
            RunReason.CodeError,
            "The code ended itself with an error",
            PayloadStarted.Yes,
            null,
            "",
            "ERROR: CodeError: The code ended itself with an error"),
        failure(
            "a timeout keeps the output",
            RunPhase.TimedOut,
            RunReason.DeadlineExceeded,
            "ignored",
            PayloadStarted.Yes,
            null,
            "partial",
            "partial\nTIMEOUT: Code execution exceeded 30 second limit"),
        failure(
            "a timeout without output is the line alone",
            RunPhase.TimedOut,
            RunReason.DeadlineExceeded,
            null,
            PayloadStarted.Yes,
            null,
            "",
            "TIMEOUT: Code execution exceeded 30 second limit"),
        failure(
            "memory is an error of the code",
            RunPhase.Failed,
            RunReason.MemoryExceeded,
            "The code exceeded the memory limit of its class: 512Mi",
            PayloadStarted.Yes,
            null,
            "a\n",
            "a\nERROR: MemoryError: The code exceeded the memory limit of its class: 512Mi"),
        failure(
            "code that failed without a process killed for memory has its traceback",
            RunPhase.Failed,
            RunReason.MemoryExceeded,
            "The code exceeded the memory limit of its class: 512Mi",
            PayloadStarted.Yes,
            RunErrorBuilder.builder()
                .type("BrokenProcessPool")
                .message("x")
                .traceback("tb")
                .build(),
            "",
            "ERROR: MemoryError: The code exceeded the memory limit of its class: 512Mi\n"
                + "Traceback:\ntb"),
        failure(
            "what never started may be tried again",
            RunPhase.Failed,
            RunReason.StartFailed,
            "0/1 nodes are available",
            PayloadStarted.No,
            null,
            "",
            "EXECUTION ERROR: StartFailed: 0/1 nodes are available\n"
                + "The code was not started: retrying is safe."),
        failure(
            "a lost Pod with started code",
            RunPhase.Failed,
            RunReason.PodLost,
            "The Pod was deleted",
            PayloadStarted.Yes,
            null,
            "half\n",
            "half\nEXECUTION ERROR: PodLost: The Pod was deleted\n"
                + "The code was started, but no result was received. Assay does not retry it."
                + " Sending it again runs it from its beginning."),
        failure(
            "a lost runner of which nothing is known",
            RunPhase.Failed,
            RunReason.RunnerLost,
            "The stream was cut",
            PayloadStarted.Unknown,
            null,
            "",
            "EXECUTION ERROR: RunnerLost: The stream was cut\n"
                + "It is unknown whether the code was started. Assay does not retry it."
                + " Sending it again may run it a second time."),
        failure(
            "nothing said counts as unknown",
            RunPhase.Failed,
            RunReason.RunnerLost,
            null,
            null,
            null,
            "",
            "EXECUTION ERROR: RunnerLost: The run failed\n"
                + "It is unknown whether the code was started. Assay does not retry it."
                + " Sending it again may run it a second time."),
        failure(
            "what is refused is refused again",
            RunPhase.Failed,
            RunReason.ClassNotAllowed,
            "no class 'x'",
            PayloadStarted.No,
            null,
            "",
            "EXECUTION ERROR: ClassNotAllowed: no class 'x'\n"
                + "The code was not started; the same call will fail in the same way."),
        failure(
            "cancelled before the start",
            RunPhase.Cancelled,
            RunReason.Cancelled,
            "Stopped on request",
            PayloadStarted.No,
            null,
            "",
            "EXECUTION ERROR: Cancelled: Stopped on request\n"
                + "The code was not started: retrying is safe."),
        failure(
            "a message of many lines and control characters is one clean line",
            RunPhase.Failed,
            RunReason.StartFailed,
            "a\nb\u0000c\u001b[31m",
            PayloadStarted.No,
            null,
            "",
            "EXECUTION ERROR: StartFailed: a b\uFFFDc\uFFFD[31m\n"
                + "The code was not started: retrying is safe."));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("failures")
  void everyFailureHasItsText(
      String name,
      RunPhase phase,
      RunReason reason,
      @Nullable String message,
      @Nullable PayloadStarted started,
      @Nullable RunError error,
      String output,
      String text) {
    Reply reply =
        RunReply.ended(
            run("run-a", status(phase, reason, message, started, result("", error))), output);

    assertThat(reply.text()).isEqualTo(text);
    assertThat(reply.isError()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(RunReason.class)
  void everyReasonOfAFailureHasAText(RunReason reason) {
    assertThat(
            RunReply.ended(
                    run("run-a", status(RunPhase.Failed, reason, "m", PayloadStarted.No, null)), "")
                .text())
        .isNotBlank();
  }

  @Test
  void aDeletedRunIsCancelled() {
    assertThat(RunReply.deleted(run("run-a", null)).text())
        .startsWith("EXECUTION ERROR: Cancelled: The run run-a was deleted\nIt is unknown whether");
  }

  @SuppressWarnings("TooManyParameters") // One row of the table.
  private static Arguments failure(
      String name,
      RunPhase phase,
      RunReason reason,
      @Nullable String message,
      @Nullable PayloadStarted started,
      @Nullable RunError error,
      String output,
      String text) {
    return Arguments.of(name, phase, reason, message, started, error, output, text);
  }
}
