package dev.assay.jvm.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunnerLayoutTest {
  /** Annotations and what tests use. */
  private static final List<String> NOT_NEEDED =
      List.of(
          "jspecify",
          "junit",
          "opentest4j",
          "apiguardian",
          "assertj",
          "byte-buddy",
          "archunit",
          "slf4j",
          "surefire",
          "test-classes");

  @Test
  void everyLibraryOnTheClassPathIsInTheLayout() {
    List<Path> needed =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(path -> NOT_NEEDED.stream().noneMatch(path.toString()::contains))
            .toList();

    assertThat(RunnerLayout.sources()).containsAll(needed);
    assertThat(needed).hasSizeGreaterThan(3);
  }
}
