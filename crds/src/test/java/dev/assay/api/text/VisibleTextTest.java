package dev.assay.api.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VisibleTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0007",
        "\u009b",
        "\u200b",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\u00ad",
        "\u2028",
        "\ue000",
        "\ufe0f",
        "\u3164",
        "\ud800",
        "\udb40\udc41",
        "\udb40\udd00"
      })
  void whatNobodySeesIsRemoved(String invisible) {
    assertThat(VisibleText.of("a" + invisible + "b")).isEqualTo("ab");
  }

  @Test
  void whatIsSeenIsKept() {
    String text = "Größe\n\t\u65e5\u672c \u05d0 \ud83d\ude00 e\u0301";
    assertThat(VisibleText.of(text)).isSameAs(text);
  }
}
