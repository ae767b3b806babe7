package dev.assay.operator.run.results;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.runner.RunnerEvent;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunOutputTest {
  private static final int WHOLE = Bounds.MAX_STATUS_OUTPUT_BYTES;
  private final RunOutput output = new RunOutput();

  @Test
  void shortOutputIsWhole() {
    take("hello ", "world\n");
    RunResult result = output.result(ended(12, null));
    assertThat(result.output()).isEqualTo("hello world\n");
    assertThat(result.outputTail()).isNull();
    assertThat(result.truncated()).isFalse();
    assertThat(result.storedBytes()).isEqualTo(12);
  }

  @Test
  void outputOfExactlyTheBoundIsStillWhole() {
    take("x".repeat(WHOLE));
    assertThat(output.result(ended(WHOLE, null)).outputTail()).isNull();
    assertThat(output.result(ended(WHOLE, null)).output()).hasSize(WHOLE);
  }

  @Test
  void longOutputHasABeginningAndAnEndAndBothFitTheStatus() {
    take("a".repeat(WHOLE), "b".repeat(WHOLE));
    RunResult result = output.result(ended(2L * WHOLE, null));
    assertThat(result.output()).isEqualTo("a".repeat(WHOLE / 2));
    assertThat(result.outputTail()).isEqualTo("b".repeat(WHOLE / 2));
    assertThat(result.truncated()).isFalse();
  }

  @Test
  void theEndIsTheSameHoweverTheOutputWasCutIntoEvents() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; all.length() < 3 * WHOLE; i++) {
      String line = "line " + i + "\n";
      all.append(line);
      output.take(output.size(), line.getBytes(UTF_8));
    }
    RunResult result = output.result(ended(all.length(), null));
    assertThat(result.output()).isEqualTo(all.substring(0, WHOLE / 2));
    assertThat(result.outputTail()).isEqualTo(all.substring(all.length() - WHOLE / 2));
  }

  @Test
  void outputPastTheLimitIsTruncatedAndItsEndIsTheRunners() {
    take("head");
    RunResult result = output.result(ended(1_000_000, "the end".getBytes(UTF_8)));
    assertThat(result.output()).isEqualTo("head");
    assertThat(result.outputTail()).isEqualTo("the end");
    assertThat(result.outputBytes()).isEqualTo(1_000_000);
    assertThat(result.storedBytes()).isEqualTo(4);
    assertThat(result.truncated()).isTrue();
  }

  @Test
  void anEndThatIsTooLongForTheStatusIsCut() {
    RunResult result = output.result(ended(1_000_000, "x".repeat(32 * 1024).getBytes(UTF_8)));
    assertThat(result.outputTail()).hasSize(WHOLE / 2);
  }

  @Test
  void whatWasTakenBeforeIsPassedOverWhenItComesAgain() {
    take("one", "two");
    output.take(0, "one".getBytes(UTF_8));
    output.take(3, "two".getBytes(UTF_8));
    output.take(6, "three".getBytes(UTF_8));
    assertThat(output.partialResult().output()).isEqualTo("onetwothree");
    assertThat(output.size()).isEqualTo(11);
  }

  @Test
  void outputBehindAGapIsNotTaken() {
    take("one");
    output.take(7, "far".getBytes(UTF_8));
    assertThat(output.partialResult().output()).isEqualTo("one");
  }

  @Test
  void aCharacterThatIsCutInTheMiddleBecomesTheReplacementCharacter() {
    take("x" + "€".repeat(WHOLE));
    RunResult result = output.result(ended(1 + 3L * WHOLE, null));
    // 8191 bytes of three-byte characters: 2730 complete ones and one byte.
    assertThat(result.output()).isEqualTo("x" + "€".repeat(2730) + "\uFFFD");
    assertThat(result.outputTail()).startsWith("\uFFFD").endsWith("€");
  }

  @Test
  void aCharacterMayComeInTwoEvents() {
    byte[] euro = "€".getBytes(UTF_8);
    output.take(0, new byte[] {euro[0]});
    output.take(1, new byte[] {euro[1], euro[2]});
    assertThat(output.partialResult().output()).isEqualTo("€");
  }

  @Test
  void controlCharactersButLayoutBecomeTheReplacementCharacter() {
    take("a\tb\r\nc\u001b[31m\u0000\u0007");
    assertThat(output.partialResult().output()).isEqualTo("a\tb\r\nc\uFFFD[31m\uFFFD\uFFFD");
  }

  @Test
  void bytesThatAreNoTextNeverMakeMoreCharactersThanTheSchemaTakes() {
    byte[] noise = new byte[WHOLE];
    java.util.Arrays.fill(noise, (byte) 0xff);
    output.take(0, noise);
    assertThat(output.partialResult().output()).hasSize(WHOLE);
  }

  @Test
  void aRunWhoseEndNobodyReportedKeepsWhatHadCome() {
    take("so far");
    RunResult result = output.partialResult();
    assertThat(result.output()).isEqualTo("so far");
    assertThat(result.outputBytes()).isEqualTo(6);
    assertThat(result.truncated()).isFalse();
    assertThat(result.outputDigest()).isNull();
  }

  @Test
  void theErrorOfTheCodeIsCarriedOver() {
    RunnerEvent.Result event =
        new RunnerEvent.Result(
            1,
            RunnerEvent.Outcome.CodeError,
            new RunnerEvent.CodeError("KeyError", "'x'", 3, 5, "Traceback", "NO_KEY"),
            null,
            null,
            0,
            0,
            "d",
            null,
            12L,
            34L,
            5,
            null);
    RunResult result = output.result(event);
    assertThat(Objects.requireNonNull(result.error()))
        .isEqualTo(
            RunErrorBuilder.builder()
                .type("KeyError")
                .message("'x'")
                .line(3)
                .column(5)
                .traceback("Traceback")
                .code("NO_KEY")
                .build());
    assertThat(result.outputDigest()).isEqualTo("d");
  }

  @Test
  void aShortValueIsCarriedOverWhole() {
    RunResult result = output.result(returning("{\"a\": 1.0}"));
    assertThat(result.value()).isEqualTo("{\"a\": 1.0}");
    assertThat(result.valueBytes()).isEqualTo(10);
    assertThat(result.valueDigest())
        .isEqualTo("742609b207f0900a8e2dff3ae83ac47941af5c29bb6ebfb297f4ca7dd63d8354");
  }

  @Test
  void aLongValueIsDescribedByLengthAndDigest() {
    String longest = '"' + "ä".repeat(Bounds.MAX_STATUS_VALUE_BYTES / 2 - 1) + '"';
    assertThat(output.result(returning(longest)).value()).isEqualTo(longest);

    RunResult result = output.result(returning('[' + longest));
    assertThat(result.value()).isNull();
    assertThat(result.valueBytes()).isEqualTo(Bounds.MAX_STATUS_VALUE_BYTES + 1);
    assertThat(result.valueDigest()).hasSize(64);
  }

  @Test
  void codeThatReturnsNothingHasNoValue() {
    RunResult result = output.result(ended(0, null));
    assertThat(result.value()).isNull();
    assertThat(result.valueBytes()).isNull();
    assertThat(result.valueDigest()).isNull();
  }

  @Test
  void aValueHasControlCharactersAndBidirectionalOverridesAsEscapes() {
    RunResult result = output.result(returning("[\"\u009b31m\u202e\u00e9\ud83d\ude00\",\n1]"));
    assertThat(result.value()).isEqualTo("[\"\\u009b31m\\u202e\u00e9\ud83d\ude00\",\n1]");
    assertThat(result.valueBytes()).isEqualTo(utf8Length(result.value()));
  }

  private static long utf8Length(@Nullable String text) {
    return Objects.requireNonNull(text).getBytes(UTF_8).length;
  }

  private static RunnerEvent.Result returning(String value) {
    return new RunnerEvent.Result(
        1, RunnerEvent.Outcome.Succeeded, null, null, value, 0, 0, null, null, null, null, 1, null);
  }

  private void take(String... parts) {
    for (String part : parts) {
      output.take(output.size(), part.getBytes(UTF_8));
    }
  }

  private static RunnerEvent.Result ended(long outputBytes, byte @Nullable [] tail) {
    return new RunnerEvent.Result(
        1,
        RunnerEvent.Outcome.Succeeded,
        null,
        null,
        null,
        outputBytes,
        0,
        null,
        tail,
        null,
        null,
        1,
        null);
  }
}
