package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownFenceTest {
  @Test
  void aFenceAroundAllCodeIsTakenOffAndLinesKeepTheirNumbers() {
    assertThat(MarkdownFence.removed("```js\nlet a = 1;\na\n```")).isEqualTo("\nlet a = 1;\na");
    assertThat(MarkdownFence.removed("\n  ```typescript \r\na\r\n```  \n\n")).isEqualTo("\n\na");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "```",
        "```js\na",
        "a\n```",
        "```js\na\n```\nb",
        "```js\na\n```\ntext\n```js\nb\n```",
        "``\na\n``",
        "```a.b\nx\n```"
      })
  void otherCodeIsLeftAsItIs(String code) {
    assertThat(MarkdownFence.removed(code)).isEqualTo(code);
  }
}
