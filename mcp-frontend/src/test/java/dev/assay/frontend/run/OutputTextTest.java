package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutputTextTest {
  private static final int REPLY = 65_536;

  @Test
  void shortOutputIsInTheStatus() {
    RunResult result = result("abc", null, 3, 3);

    assertThat(OutputText.isLongerThanStatus(result)).isFalse();
    assertThat(OutputText.of(result, REPLY)).isEqualTo("abc");
  }

  @Test
  void longOutputIsReadFromTheStore() {
    String all = "x".repeat(20_000);
    RunResult result = result(all.substring(0, 8192), all.substring(0, 8192), 20_000, 20_000);

    assertThat(OutputText.isLongerThanStatus(result)).isTrue();
    assertThat(OutputText.of(result, bytes(all), REPLY)).isEqualTo(all);
  }

  @Test
  void binaryThatOnlyLooksCompleteIsReadFromTheStore() {
    RunResult result = result("\uFFFD".repeat(8192), "x", 20_000, 20_000);

    assertThat(OutputText.isLongerThanStatus(result)).isTrue();
  }

  @Test
  void whatTheStoreDidNotKeepIsMarkedAndTheEndIsShown() {
    RunResult result = result("aaaa", "zz", 100, 4);

    assertThat(OutputText.of(result, REPLY))
        .isEqualTo("aaaa\n[output truncated: first 4 and last 2 of 100 bytes]\nzz");
  }

  @Test
  void withoutAnEndOnlyTheBeginningIsTold() {
    assertThat(OutputText.of(result("aaaa\n", null, 100, 5), REPLY))
        .isEqualTo("aaaa\n[output truncated: first 5 of 100 bytes]\n");
  }

  @Test
  void beginningAndEndThatMeetAreJoined() {
    assertThat(OutputText.of(result("abcd", "cdef", 6, 4), REPLY)).isEqualTo("abcdef");
  }

  @Test
  void aStoreThatCannotBeReadIsSaid() {
    RunResult result = result("aaaa", "zz", 20_000, 20_000);

    assertThat(OutputText.of(result, new OutputStore.Missing("it is away"), REPLY))
        .isEqualTo(
            "aaaa\n[output incomplete: first 4 and last 2 of 20000 bytes;"
                + " the rest could not be read: it is away]\nzz");
  }

  @Test
  void aReplyShowsTheBeginningAndTheEndOfWhatIsLongerThanItMayBe() {
    String read = "x".repeat(OutputText.bytesToRead(REPLY));
    RunResult result = result("x", "the end\n", 1_000_000, 1_000_000);

    String text = OutputText.of(result, bytes(read), REPLY);

    assertThat(text)
        .endsWith("x\n[output truncated: first 32768 and last 8 of 1000000 bytes]\nthe end\n");
    assertThat(text.getBytes(UTF_8)).hasSizeLessThanOrEqualTo(REPLY);
  }

  @Test
  void binaryThatGrowsInDecodingStaysWithinTheReply() {
    byte[] binary = new byte[30_000];
    Arrays.fill(binary, (byte) 0xFF);
    RunResult result = result("\uFFFD", "\uFFFD", 30_000, 30_000);

    String text = OutputText.of(result, new OutputStore.Bytes(binary), REPLY);

    assertThat(text.getBytes(UTF_8)).hasSizeLessThanOrEqualTo(REPLY);
    assertThat(text).contains("[output truncated: first ");
  }

  @Test
  void aCharacterIsNotCutInTwo() {
    byte[] cut = "aé".getBytes(UTF_8);
    RunResult result = result("a", null, 10, 10);

    assertThat(OutputText.of(result, new OutputStore.Bytes(Arrays.copyOf(cut, 2)), REPLY))
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
