package dev.assay.api.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EscapedTextTest {
  @ParameterizedTest
  @CsvSource({
    "pay\u202Etxt.exe, pay\\u202etxt.exe",
    "a\u200Bb, a\\u200bb",
    "a\u200Db, a\\u200db",
    "1\u200D2, 1\\u200d2",
    "\uFEFFid, \\ufeffid",
    "co\u00ADop, co\\u00adop",
    "x\uFE01, x\\ufe01",
    "x\uFE0F, x\\ufe0f",
    "x\uDB40\uDC02, x\\U000e0002",
    "1\uFE0F2, 1\\ufe0f2",
    "x\uDB40\uDC41, x\\U000e0041",
    "a\u2066b\u2069, a\\u2066b\\u2069",
    "\u3164x, \\u3164x"
  })
  void whatIsNotSeenIsAnEscape(String text, String shown) {
    assertThat(EscapedText.of(text)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain\ttext\n",
        "Umsätze 数据 данные",
        "نمی\u200Cخواهم",
        "क्\u200Dष",
        "\uD83D\uDC69\u200D\uD83D\uDCBB",
        "\uD83D\uDC69\uD83C\uDFFD\u200D\uD83D\uDCBB",
        "\u2764\uFE0F\u200D\uD83D\uDD25",
        "1\uFE0F\u20E3",
        "\u845B\uDB40\uDD00",
        "\u06DD12"
      })
  void whatBelongsToWordsAndEmojiStays(String text) {
    assertThat(EscapedText.of(text)).isSameAs(text);
  }

  @Test
  void aTextOfInvisibleCharactersDoesNotBecomeMuchLonger() {
    String shown = EscapedText.of("\u200B".repeat(1_000_000) + "end");
    assertThat(shown).startsWith("\\u200b\\u200b").endsWith("end");
    assertThat(shown.length()).isLessThan(EscapedText.MAX_ADDED * 2);
  }
}
