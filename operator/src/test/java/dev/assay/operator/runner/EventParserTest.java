package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventParserTest {
  private static final String RESULT =
      """
      {"seq":9,"type":"result","atMs":0,"outcome":"CodeError",
       "error":{"type":"KeyError","message":"'x'","line":3,"column":7,"traceback":"Traceback",
                "code":"NOT_FOUND"},
       "exit":{"code":1,"signal":null},"value":{"rows":3},"valueJson":"WzEuMF0=",
       "output":{"bytes":10,"storedBytes":8,"truncated":true,"sha256":"ab","tail":"aGk="},
       "usage":{"cpuMs":12,"peakMemoryBytes":99},"durationMs":15}\
      """;

  @Test
  void aResultIsReadWithAllItTells() throws Exception {
    RunnerEvent.Result result = (RunnerEvent.Result) parse(RESULT).orElseThrow();
    assertThat(result.seq()).isEqualTo(9);
    assertThat(result.outcome()).isEqualTo(RunnerEvent.Outcome.CodeError);
    assertThat(result.error())
        .isEqualTo(new RunnerEvent.CodeError("KeyError", "'x'", 3, 7, "Traceback", "NOT_FOUND"));
    assertThat(result.description()).hasToString("{\"rows\":3}");
    assertThat(result.value()).isEqualTo("[1.0]");
    assertThat(result.outputBytes()).isEqualTo(10);
    assertThat(result.storedBytes()).isEqualTo(8);
    assertThat(result.sha256()).isEqualTo("ab");
    assertThat(result.tail()).isEqualTo("hi".getBytes(UTF_8));
    assertThat(result.cpuMillis()).isEqualTo(12);
    assertThat(result.peakMemoryBytes()).isEqualTo(99);
    assertThat(result.durationMillis()).isEqualTo(15);
  }

  @Test
  void aResultMayTellAsLittleAsItMust() throws Exception {
    RunnerEvent.Result result =
        (RunnerEvent.Result)
            parse(
                    """
                    {"seq":1,"type":"result","outcome":"Succeeded","error":null,"value":null,
                     "output":{"bytes":0,"storedBytes":0,"tail":null},"durationMs":0}\
                    """)
                .orElseThrow();
    assertThat(result.error()).isNull();
    assertThat(result.description()).isNull();
    assertThat(result.value()).isNull();
    assertThat(result.tail()).isNull();
    assertThat(result.cpuMillis()).isNull();
  }

  @Test
  void outputAndStartAreReadAndAPingIsNoEvent() throws Exception {
    assertThat(parse("{\"type\":\"ping\"}")).isEmpty();
    assertThat(parse("{\"type\":\"started\",\"seq\":1,\"timings\":{}}"))
        .contains(new RunnerEvent.Started(1));
    RunnerEvent.Output output =
        (RunnerEvent.Output)
            parse("{\"type\":\"output\",\"seq\":2,\"offset\":5,\"data\":\"aGk=\"}").orElseThrow();
    assertThat(output.offset()).isEqualTo(5);
    assertThat(output.data()).isEqualTo("hi".getBytes(UTF_8));
  }

  @Test
  void anArtifactIsReadWithItsPath() throws Exception {
    assertThat(parse(FakeRunner.artifact(4, 1, "reports/ä b.html", 17)))
        .contains(new RunnerEvent.Artifact(4, 1, "reports/ä b.html", 17, null));
  }

  @Test
  void theDataOfAnArtifactIsTheWholeFile() throws Exception {
    for (byte[] data : new byte[][] {{}, "hi".getBytes(UTF_8)}) {
      String line = FakeRunner.artifact(4, 1, "a", data.length, data);
      assertThat(((RunnerEvent.Artifact) parse(line).orElseThrow()).data()).isEqualTo(data);
    }
    for (String line :
        List.of(
            FakeRunner.artifact(4, 1, "a", 1, new byte[0]),
            FakeRunner.artifact(4, 1, "a", 1, new byte[2]))) {
      assertThatThrownBy(() -> parse(line))
          .isInstanceOf(ProtocolViolationException.class)
          .hasMessageContaining("bytes of data");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/etc/passwd",
        "../a",
        "a/../b",
        "./a",
        "a//b",
        "a/",
        "a\\nb",
        "a\\u001b[31m",
        "\\u0000",
        "\\ud800"
      })
  void anArtifactWithAPathThatIsNoneIsRefused(String path) {
    assertThatThrownBy(() -> parse(FakeRunner.artifact(4, 1, path, 17)))
        .isInstanceOf(ProtocolViolationException.class)
        .hasMessage("the path of artifact 1 is malformed");
  }

  @Test
  void theNumberAndTheLengthOfAnArtifactAreBounded() {
    for (long number : new long[] {0, -1, 129, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> parse(FakeRunner.artifact(4, number, "a", 17)))
          .isInstanceOf(ProtocolViolationException.class);
    }
    assertThatThrownBy(() -> parse(FakeRunner.artifact(4, 1, "a", -1)))
        .isInstanceOf(ProtocolViolationException.class);
    assertThatThrownBy(() -> parse(FakeRunner.artifact(4, 1, "a".repeat(257), 1)))
        .isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void whatARunnerSaysOfFilesThatItLeftOutIsOneLineWithoutEscapes() throws Exception {
    String line =
        RESULT.replace("\"durationMs\"", "\"artifactsMessage\":\"MESSAGE\",\"durationMs\"");
    assertThat(message(line.replace("MESSAGE", "2 files: a\\nb\\u001b[31m")))
        .isEqualTo("2 files: a b\ufffd[31m");
    assertThat(message(line.replace("MESSAGE", "x".repeat(5000)))).hasSizeLessThan(1000);
    assertThat(message(RESULT)).isNull();
    assertThat(message(line.replace("\"MESSAGE\"", "null"))).isNull();
  }

  private static @Nullable String message(String line) throws ProtocolViolationException {
    return ((RunnerEvent.Result) parse(line).orElseThrow()).artifactsMessage();
  }

  @Test
  void textOfUserCodeIsCleanedAndOnlyItsTypeIsOneLine() throws Exception {
    RunnerEvent.Result result =
        (RunnerEvent.Result)
            parse(
                    "{\"type\":\"result\",\"seq\":1,\"outcome\":\"CodeError\",\"durationMs\":1,"
                        + "\"output\":{\"bytes\":0,\"storedBytes\":0},\"error\":{"
                        + "\"type\":\"E\\u001b\\nF\",\"message\":\"a\\u0000\\n\\tb\","
                        + "\"traceback\":\"c\\u009b\\n\\td\\u202e\"}}")
                .orElseThrow();
    RunnerEvent.CodeError error = Objects.requireNonNull(result.error());
    assertThat(error.type()).isEqualTo("E\uFFFD F");
    assertThat(error.message()).isEqualTo("a\uFFFD\n\tb");
    assertThat(error.traceback()).isEqualTo("c\uFFFD\n\td\uFFFD");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "null",
        "[]",
        "7",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"tool_call\",\"seq\":1}",
        "{\"type\":\"started\"}",
        "{\"type\":\"started\",\"seq\":-1}",
        "{\"type\":\"started\",\"seq\":1.0}",
        "{\"type\":\"started\",\"seq\":\"1\"}",
        "{\"type\":\"started\",\"seq\":9223372036854775808}",
        "{\"type\":\"started\",\"seq\":1e3}",
        "{\"type\":\"started\",\"seq\":99999999999999999999999999999999999999999999}",
        "{\"type\":\"output\",\"seq\":1,\"offset\":0}",
        "{\"type\":\"output\",\"seq\":1,\"offset\":0,\"data\":null}",
        "{\"type\":\"output\",\"seq\":1,\"offset\":0,\"data\":7}",
        "{\"type\":\"output\",\"seq\":1,\"offset\":0,\"data\":{}}",
        "{\"type\":\"output\",\"seq\":1,\"offset\":0,\"data\":\"*not base64*\"}",
        "{\"type\":\"output\",\"seq\":1,\"offset\":-5,\"data\":\"aGk=\"}",
        "{\"type\":\"result\",\"seq\":1,\"outcome\":\"Succeeded\",\"durationMs\":1}",
        "{\"type\":\"result\",\"seq\":1,\"outcome\":\"Won\",\"durationMs\":1,"
            + "\"output\":{\"bytes\":0,\"storedBytes\":0}}",
        "{\"type\":\"result\",\"seq\":1,\"outcome\":\"Succeeded\",\"durationMs\":-1,"
            + "\"output\":{\"bytes\":0,\"storedBytes\":0}}",
        "{\"type\":\"result\",\"seq\":1,\"outcome\":\"Succeeded\",\"durationMs\":1,"
            + "\"output\":{\"bytes\":-1,\"storedBytes\":0}}",
        "{\"type\":\"result\",\"seq\":1,\"outcome\":\"CodeError\",\"durationMs\":1,"
            + "\"error\":{\"type\":1},\"output\":{\"bytes\":0,\"storedBytes\":0}}"
      })
  void whatIsNoEventIsRefused(String line) {
    assertThatThrownBy(() -> parse(line)).isInstanceOf(ProtocolViolationException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "lower", "A-B", "A B", "ÄNDERUNG", "A\\u0000", "A\\n"})
  void anErrorHasACodeInCapitalsOrNone(String code) throws Exception {
    assertThatThrownBy(() -> parse(RESULT.replace("NOT_FOUND", code)))
        .isInstanceOf(ProtocolViolationException.class);
    assertThatThrownBy(() -> parse(RESULT.replace("NOT_FOUND", "X".repeat(65))))
        .isInstanceOf(ProtocolViolationException.class);
    RunnerEvent.Result without =
        (RunnerEvent.Result) parse(RESULT.replace("\"NOT_FOUND\"", "null")).orElseThrow();
    assertThat(Objects.requireNonNull(without.error()).code()).isNull();
  }

  @Test
  void nestingIsBounded() {
    String deep = "{\"type\":\"started\",\"seq\":1,\"x\":" + "[".repeat(50) + "]".repeat(50) + "}";
    assertThatThrownBy(() -> parse(deep)).isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void outputOfOneEventIsBounded() throws Exception {
    assertThat(parse(output(32 * 1024))).isPresent();
    assertThatThrownBy(() -> parse(output(32 * 1024 + 1)))
        .isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void theTailIsBounded() {
    String tail = Base64.getEncoder().encodeToString(new byte[32 * 1024 + 1]);
    assertThatThrownBy(() -> parse(RESULT.replace("aGk=", tail)))
        .isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void textsAreCutToWhatAStatusTakes() throws Exception {
    String line =
        RESULT
            .replace("KeyError", "T".repeat(1000))
            .replace("'x'", "m".repeat(10_000))
            .replace("Traceback", "t".repeat(40_000))
            .replace("\"ab\"", "\"" + "d".repeat(100) + "\"");
    RunnerEvent.Result result = (RunnerEvent.Result) parse(line).orElseThrow();
    RunnerEvent.CodeError error = java.util.Objects.requireNonNull(result.error());
    assertThat(error.type()).hasSize(256);
    assertThat(error.message()).hasSize(4096);
    assertThat(error.traceback()).hasSize(16 * 1024);
    assertThat(result.sha256()).hasSize(64);
  }

  @Test
  void aLineNumberThatIsNoneIsLeftOut() throws Exception {
    for (String line : List.of("-3", "3.5", "\"3\"", "99999999999", "null")) {
      RunnerEvent.Result result =
          (RunnerEvent.Result)
              parse(RESULT.replace("\"line\":3", "\"line\":" + line)).orElseThrow();
      assertThat(java.util.Objects.requireNonNull(result.error()).line()).as(line).isNull();
    }
  }

  @Test
  void aCallOfAToolHasItsArgumentsAsTheyAre() throws Exception {
    assertThat(parse(toolCall("\"call\":3,\"batch\":{\"first\":2,\"size\":4,\"maxParallel\":8}")))
        .hasValueSatisfying(
            event -> {
              RunnerEvent.ToolCall call = (RunnerEvent.ToolCall) event;
              assertThat(call.call()).isEqualTo(3);
              assertThat(call.batch()).isEqualTo(new RunnerEvent.Batch(2, 4, 8));
              assertThat(call.server()).isEqualTo("crm");
              assertThat(call.tool()).isEqualTo("find");
              assertThat(call.args()).asString().isEqualTo("{}");
            });
  }

  @Test
  void aCallThatWasAnsweredBeforeHasNoArguments() throws Exception {
    String answered = toolCall("\"call\":1,\"batch\":null").replace("\"e30=\"", "null");
    assertThat(((RunnerEvent.ToolCall) parse(answered).orElseThrow()).args()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"call\":0",
        "\"call\":-1",
        "\"call\":1.5",
        "\"call\":99999999999",
        "\"call\":\"1\"",
        "\"call\":1,\"batch\":{\"first\":1,\"size\":101,\"maxParallel\":8}",
        "\"call\":1,\"batch\":{\"first\":1,\"size\":0,\"maxParallel\":8}",
        "\"call\":1,\"batch\":{\"first\":1,\"size\":2,\"maxParallel\":33}",
        "\"call\":3,\"batch\":{\"first\":1,\"size\":2,\"maxParallel\":8}",
        "\"call\":1,\"batch\":{\"first\":2,\"size\":2,\"maxParallel\":8}",
        "\"call\":1,\"batch\":{}",
        "\"call\":1,\"batch\":7"
      })
  void aCallOfAToolWithImpossibleNumbersIsAViolation(String numbers) {
    assertThatThrownBy(() -> parse(toolCall(numbers)))
        .isInstanceOf(ProtocolViolationException.class);
  }

  @Test
  void aCallOfAToolIsBounded() {
    for (String bad :
        List.of(
            toolCall("\"call\":1").replace("crm", ""),
            toolCall("\"call\":1").replace("find", "é".repeat(129)),
            toolCall("\"call\":1").replace("\"crm\"", "null"),
            toolCall("\"call\":1").replace("e30=", "!"),
            toolCall("\"call\":1").replace("e30=", "AAAA".repeat(256 * 1024 / 3 + 1)))) {
      assertThatThrownBy(() -> parse(bad)).isInstanceOf(ProtocolViolationException.class);
    }
  }

  private static String toolCall(String numbers) {
    return "{\"seq\":2,\"type\":\"tool_call\",\"atMs\":0,%s,\"server\":\"crm\",\"tool\":\"find\",\"args\":\"e30=\"}"
        .formatted(numbers);
  }

  @Test
  void anUnknownTypeIsNotRepeatedAtLength() {
    assertThatThrownBy(() -> parse("{\"type\":\"" + "x".repeat(5000) + "\"}"))
        .isInstanceOf(ProtocolViolationException.class)
        .message()
        .hasSizeLessThan(100);
  }

  @Test
  void fiveThousandDamagedLinesGiveAnEventOrAreRefused() {
    Random random = new Random(20261101);
    List<String> seeds =
        List.of(
            RESULT,
            "{\"type\":\"output\",\"seq\":2,\"offset\":5,\"data\":\"aGk=\"}",
            "{\"type\":\"started\",\"seq\":1}",
            "{\"type\":\"ping\"}");
    int events = 0;
    int refused = 0;
    for (int i = 0; i < 5000; i++) {
      byte[] line = damage(seeds.get(random.nextInt(seeds.size())).getBytes(UTF_8), random);
      try {
        Optional<RunnerEvent> event = EventParser.parse(line);
        event.ifPresent(read -> assertThat(read.seq()).isNotNegative());
        events++;
      } catch (ProtocolViolationException e) {
        refused++;
      }
    }
    assertThat(events).isPositive();
    assertThat(refused).isPositive();
  }

  /** Flips, removes, repeats and inserts bytes, and prefers those of JSON's syntax. */
  private static byte[] damage(byte[] line, Random random) {
    byte[] alphabet = "{}[]\",:-.0123456789eE\\u nulltruefalse".getBytes(UTF_8);
    byte[] damaged = line.clone();
    for (int n = random.nextInt(6); n >= 0; n--) {
      // Keeps the first bytes, from which the parser detects the encoding: another test covers
      // that.
      int at = 4 + random.nextInt(Math.max(1, damaged.length - 4));
      if (at >= damaged.length) {
        return damaged;
      }
      switch (random.nextInt(4)) {
        case 0 -> damaged[at] = (byte) random.nextInt(256);
        case 1 -> damaged[at] = alphabet[random.nextInt(alphabet.length)];
        case 2 -> damaged = java.util.Arrays.copyOf(damaged, at);
        default -> {
          byte[] longer = new byte[damaged.length + 1];
          System.arraycopy(damaged, 0, longer, 0, at);
          longer[at] = alphabet[random.nextInt(alphabet.length)];
          System.arraycopy(damaged, at, longer, at + 1, damaged.length - at);
          damaged = longer;
        }
      }
    }
    return damaged;
  }

  private static String output(int bytes) {
    return "{\"type\":\"output\",\"seq\":1,\"offset\":0,\"data\":\""
        + Base64.getEncoder().encodeToString(new byte[bytes])
        + "\"}";
  }

  private static Optional<RunnerEvent> parse(String line) throws ProtocolViolationException {
    return EventParser.parse(line.getBytes(UTF_8));
  }

  @Test
  void aLineInAnotherEncodingIsRefused() {
    byte[] line = {0, 0, 0, '{', (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff};
    assertThatThrownBy(() -> EventParser.parse(line))
        .isInstanceOf(ProtocolViolationException.class);
  }
}
