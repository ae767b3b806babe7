package dev.assay.operator.run.execution;

import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.output;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.FakeRunner.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A runner under the control of its code, which breaks the protocol. Its run is lost, and what had
 * come before is kept.
 */
@Tag("slow")
class HostileRunnerTest {
  private static final String BEFORE = output(2, 0, "before\n");

  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  static Stream<Arguments> lines() {
    return Stream.of(
        Arguments.of("a gap in the numbers of events", output(4, 7, "x")),
        Arguments.of("an event again", output(2, 7, "x")),
        Arguments.of("a gap in the output", output(3, 8, "x")),
        Arguments.of("output again", output(3, 0, "forged\n")),
        Arguments.of("a second start", started(3)),
        Arguments.of("more output than it has sent", result(3, "Succeeded", 1_000_000)),
        Arguments.of("less output than it has sent", result(3, "Succeeded", 1)),
        Arguments.of("an outcome that there is not", result(3, "Promoted", 7)),
        Arguments.of("no JSON", "started"),
        Arguments.of("no event", "{\"type\":\"root\",\"seq\":3}"),
        Arguments.of("a line that is too long", "{\"type\":\"" + "x".repeat(10_000_000) + "\"}"),
        Arguments.of("deep JSON", "[".repeat(100_000)),
        Arguments.of("a negative length", result(3, "Succeeded", -7)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lines")
  void aRunWhoseRunnerSendsWhatItMustNotIsLostAndKeepsItsOutput(String what, String line)
      throws Exception {
    f.runner.on("/v1/start", events(started(1), BEFORE, line));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(f.status().message()).doesNotContain("forged").hasSizeLessThan(1000);
    assertThat(f.output()).isEqualTo("before\n");
  }

  @Test
  void theFirstOfTwoResultsCounts() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1), BEFORE, result(3, "CodeError", 7), result(4, "Succeeded", 7)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.CodeError);
  }

  @Test
  void compressedEventsAreNotUnpacked() throws Exception {
    byte[] packed = packed(started(1) + "\n" + BEFORE + "\n" + result(3, "Succeeded", 7) + "\n");
    Answer begin =
        exchange -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          exchange.sendResponseHeaders(200, 0);
        };
    f.runner.on("/v1/start", begin.then(exchange -> exchange.getResponseBody().write(packed)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
  }

  private static byte[] packed(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(text.getBytes(UTF_8));
    }
    return packed.toByteArray();
  }

  @Test
  void aFloodOfPingsEndsWithTheTimeOfTheRun() throws Exception {
    String ping = "{\"type\":\"ping\"}";
    Answer pings =
        exchange -> {
          while (true) {
            more(ping).to(exchange);
          }
        };
    f.runner.on("/v1/start", events(started(1), BEFORE).then(pings));
    f.runner.on("/v1/attach", json(500, ""));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isIn(RunReason.RunnerLost, RunReason.DeadlineExceeded);
    assertThat(f.output()).isEqualTo("before\n");
  }

  @Test
  void aRedirectIsNotFollowedToAnotherRunner() throws Exception {
    try (FakeRunner other = new FakeRunner(f.keys.current())) {
      f.runner.on(
          "/v1/start",
          exchange -> {
            exchange
                .getResponseHeaders()
                .set("Location", "http://127.0.0.1:%d/v1/start".formatted(other.port()));
            exchange.sendResponseHeaders(307, -1);
          });
      assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
      assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
      assertThat(other.received()).isEmpty();
    }
  }
}
