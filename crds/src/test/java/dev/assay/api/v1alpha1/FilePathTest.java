package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilePathTest {
  @ParameterizedTest
  @CsvSource({
    ".work, true",
    ".work/generated/a.py, true",
    ".workspace, false",
    "a/.work, false",
    "work, false"
  })
  void theFolderOfCodeModeIsReserved(String path, boolean reserved) {
    assertThat(FilePath.isReserved(path)).isEqualTo(reserved);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a/b.csv", "..a/b..", ".work/a", "a b", "ä/日本.png", "-"})
  void relativePathsAreValid(String path) {
    assertThat(FilePath.isValid(path)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/..",
        "../a",
        "a/./b",
        "a\n",
        "a\nb",
        "a\tb",
        "\u0000",
        "a\\b",
        "a\u001b[31m",
        "\u007f",
        "\u0085",
        "\ud800"
      })
  void othersAreNot(String path) {
    assertThat(FilePath.isValid(path)).isFalse();
  }

  @Test
  void theLimitIsInBytes() {
    assertThat(FilePath.isValid("a".repeat(256))).isTrue();
    assertThat(FilePath.isValid("a".repeat(257))).isFalse();
    assertThat(FilePath.isValid("ä".repeat(128))).isTrue();
    assertThat(FilePath.isValid("ä".repeat(129))).isFalse();
  }
}
