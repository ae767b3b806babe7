package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodTextTest {
  private static final int MAX = 100;

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 7, 8, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066,
        0x2069, 0xd800, 0xdfff
      })
  void whatATerminalObeysOrAReaderIsDeceivedByIsReplaced(int character) {
    String hostile = "a" + (char) character + "b";
    assertThat(PodText.lines(hostile, MAX)).isEqualTo("a\uFFFDb");
    assertThat(PodText.line(hostile, MAX)).isEqualTo("a\uFFFDb");
  }

  @Test
  void linesAndTabsAreKeptWhereSeveralLinesAreMeant() {
    assertThat(PodText.lines("a\tb\r\nc\n", MAX)).isEqualTo("a\tb\nc\n");
  }

  @Test
  void onlyOutputMayGoBackToTheBeginningOfItsLine() {
    assertThat(PodText.lines("safe\rhostile", MAX)).isEqualTo("safe\uFFFDhostile");
    assertThat(PodText.output("50 %\r100 %\r\n\u001b[31m")).isEqualTo("50 %\r100 %\r\n\uFFFD[31m");
  }

  @Test
  void aSingleLineStaysOne() {
    assertThat(PodText.line("a\tb\r\nc\n", MAX)).isEqualTo("a b  c ");
  }

  @Test
  void everythingElseIsKept() {
    String text =
        "na\u00efve \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u65e5\u672c \ud83d\ude00";
    assertThat(PodText.line(text, MAX)).isEqualTo(text);
    assertThat(PodText.lines(text, MAX)).isEqualTo(text);
  }

  @Test
  void textIsCutWithoutCuttingACharacter() {
    assertThat(PodText.line("abcdef", 3)).isEqualTo("abc");
    assertThat(PodText.line("ab\ud83d\ude00", 3)).isEqualTo("ab");
    assertThat(PodText.lines("ab\ud83d\ude00", 4)).isEqualTo("ab\ud83d\ude00");
  }
}
