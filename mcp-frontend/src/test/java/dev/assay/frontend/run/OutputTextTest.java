package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.token.TokenEstimate;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class OutputTextTest {
  private static final ReplyBound REPLY = new ReplyBound(65_536, 30_000);

  @Test
  void shortOutputIsInTheStatus() {
    RunResult result = result("abc", null, 3, 3);

    assertThat(OutputText.isLongerThanStatus(result)).isFalse();
    assertThat(OutputText.of("run-a", result, REPLY).text()).isEqualTo("abc");
  }

  @Test
  void longOutputIsReadFromTheStore() {
    String all = "x".repeat(20_000);
    RunResult result = result(all.substring(0, 8192), all.substring(0, 8192), 20_000, 20_000);

    assertThat(OutputText.isLongerThanStatus(result)).isTrue();
    assertThat(OutputText.of("run-a", result, bytes(all), REPLY).text()).isEqualTo(all);
  }

  @Test
  void binaryThatOnlyLooksCompleteIsReadFromTheStore() {
    RunResult result = result("\uFFFD".repeat(8192), "x", 20_000, 20_000);

    assertThat(OutputText.isLongerThanStatus(result)).isTrue();
  }

  @Test
  void whatTheStoreDidNotKeepIsMarkedAndTheEndIsShown() {
    RunResult result = result("aaaa", "zz", 100, 4);

    assertThat(OutputText.of("run-a", result, REPLY).text())
        .isEqualTo("aaaa\n[output truncated: first 4 and last 2 of 100 bytes]\nzz");
  }

  @Test
  void withoutAnEndOnlyTheBeginningIsTold() {
    assertThat(OutputText.of("run-a", result("aaaa\n", null, 100, 5), REPLY).text())
        .isEqualTo("aaaa\n[output truncated: first 5 of 100 bytes]\n");
  }

  @Test
  void beginningAndEndThatMeetAreJoined() {
    assertThat(OutputText.of("run-a", result("abcd", "cdef", 6, 4), REPLY).text())
        .isEqualTo("abcdef");
  }

  @Test
  void aStoreThatCannotBeReadIsSaid() {
    RunResult result = result("aaaa", "zz", 20_000, 20_000);

    assertThat(OutputText.of("run-a", result, new OutputStore.Missing("it is away"), REPLY).text())
        .isEqualTo(
            "aaaa\n[output incomplete: first 4 and last 2 of 20000 bytes;"
                + " the rest could not be read: it is away]\nzz");
  }

  @Test
  void aReplyShowsTheBeginningAndTheEndOfWhatIsLongerThanItMayBe() {
    String read = "x".repeat(OutputText.bytesToRead(REPLY));
    RunResult result = result("x", "the end\n", 1_000_000, 1_000_000);

    String text = OutputText.of("run-a", result, bytes(read), REPLY).text();

    assertThat(text)
        .endsWith(
            "x\n[output truncated: first 32768 and last 8 of 1000000 bytes;"
                + " get_run(name=\"run-a\", offset=32768) shows more]\nthe end\n");
    assertThat(text.getBytes(UTF_8)).hasSizeLessThanOrEqualTo(REPLY.bytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"", "\\", "\n", "\t", "\u0007", "€"})
  void aReplyHasNoMoreBytesAsJsonThanItMay(String repeated) {
    String all = repeated.repeat(200_000);
    int length = all.getBytes(UTF_8).length;
    RunResult result = result(repeated, repeated, length, length);
    ReplyBound bound = new ReplyBound(REPLY.bytes(), Integer.MAX_VALUE);

    ShownOutput shown = OutputText.of("run-a", result, bytes(all), bound);

    assertThat(JsonMapper.shared().writeValueAsBytes(shown.text()))
        .hasSizeBetween(REPLY.bytes() / 4, REPLY.bytes());
  }

  @Test
  void whatHasNoMoreTokensThanAReplyMayHaveIsShownByteForByte() {
    String all = " ".repeat(50_000) + "\nthe end";
    RunResult result = result("x", "the end", 50_008, 50_008);
    ReplyBound bound = new ReplyBound(1_048_576, TokenEstimate.of(all));

    assertThat(OutputText.of("run-a", result, bytes(all), bound))
        .isEqualTo(new ShownOutput(all, null));
  }

  @Test
  void ofWhatHasMoreTokensBeginningAndEndAreShownAndTheCallForTheRest() {
    String all =
        IntStream.range(0, 10_000).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());
    RunResult result = result("line 0\n", "line 9999\n", all.length(), all.length());

    ShownOutput shown = OutputText.of("run-a", result, bytes(all), new ReplyBound(1_048_576, 2000));

    long next = Objects.requireNonNull(shown.nextOffset());
    assertThat(TokenEstimate.of(shown.text())).isBetween(1800, 2000);
    assertThat(shown.text())
        .startsWith(all.substring(0, (int) next))
        .contains(
            "\n[output truncated: first " + next + " and last ",
            "; get_run(name=\"run-a\", offset=" + next + ") shows more]\nline ")
        .endsWith("\nline 9998\nline 9999\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 137, 1000, 20_000})
  void thePartsOfAnOutputAreAllOfIt(int tokens) {
    byte[] all =
        ("ä€\uD83D\uDE00 one\r\ntwo\rthree 3.14159 {\"a\": null}\u0007\n" + "x".repeat(300))
            .repeat(50)
            .getBytes(UTF_8);
    Arrays.fill(all, 3000, 3017, (byte) 0xE2);
    AnalyticsRun run =
        Fixtures.run(
            "run-a",
            Fixtures.status(
                RunPhase.Succeeded, null, null, null, result("ä", "x", all.length, all.length)));
    StringBuilder text = new StringBuilder();
    Integer offset = 0;
    while (offset != null) {
      byte[] rest = Arrays.copyOfRange(all, offset, Math.min(all.length, offset + 9001));
      ShownOutput page = OutputPage.of(run, offset, rest, new ReplyBound(1_048_576, tokens));
      int line = page.text().lastIndexOf('\n', page.text().length() - 2);
      String content = page.text().substring(0, line);
      text.append(content.isEmpty() || isEnded(all, page.nextOffset()) ? content + "\n" : content);
      assertThat(TokenEstimate.of(page.text())).isLessThanOrEqualTo(tokens + 60);
      offset = page.nextOffset() == null ? null : page.nextOffset().intValue();
    }

    assertThat(text.toString()).isEqualTo(Text.decode(all, false));
  }

  private static boolean isEnded(byte[] all, @Nullable Long next) {
    byte last = all[(next == null ? all.length : next.intValue()) - 1];
    return last == '\n' || last == '\r';
  }

  @Test
  void binaryThatGrowsInDecodingStaysWithinTheReply() {
    byte[] binary = new byte[30_000];
    Arrays.fill(binary, (byte) 0xFF);
    RunResult result = result("\uFFFD", "\uFFFD", 30_000, 30_000);

    String text = OutputText.of("run-a", result, new OutputStore.Bytes(binary), REPLY).text();

    assertThat(text.getBytes(UTF_8)).hasSizeLessThanOrEqualTo(REPLY.bytes());
    assertThat(text).contains("[output truncated: first ");
  }

  @Test
  void aCharacterIsNotCutInTwo() {
    byte[] cut = "aé".getBytes(UTF_8);
    RunResult result = result("a", null, 10, 10);

    assertThat(
            OutputText.of("run-a", result, new OutputStore.Bytes(Arrays.copyOf(cut, 2)), REPLY)
                .text())
        .startsWith("a\n[output truncated");
  }

  @Test
  void onlyLineFeedsAndTabsAreLeftOfControlCharacters() {
    assertThat(Text.clean("a\r\nb\rc\td\0e\u001B[0m\u0085f\uD800g"))
        .isEqualTo("a\nb\nc\td\uFFFDe\uFFFD[0m\uFFFDf\uFFFDg");
    assertThat(Text.clean("\uD83D\uDE00")).isEqualTo("\uD83D\uDE00");
  }

  @Test
  void oneLineIsCutWithAnEllipsis() {
    assertThat(Text.oneLine(" a\nb ", 10)).isEqualTo("a b");
    assertThat(Text.oneLine("abcdef", 4)).isEqualTo("abc\u2026");
  }

  private static OutputStore.Stored bytes(String text) {
    return new OutputStore.Bytes(text.getBytes(UTF_8));
  }

  private static RunResult result(
      String head, @Nullable String tail, long outputBytes, long storedBytes) {
    return RunResultBuilder.builder()
        .output(head)
        .outputTail(tail)
        .outputBytes(outputBytes)
        .storedBytes(storedBytes)
        .truncated(storedBytes < outputBytes)
        .build();
  }
}
