package dev.assay.jvm.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
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
          // Libraries of the system, which are in a directory.
          "linux-x86_64",
          "test-classes");

  @Test
  void everyLibraryOnTheClassPathIsInTheLayout() {
    List<Path> needed =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(path -> NOT_NEEDED.stream().noneMatch(path.toString()::contains))
            .toList();

    assertThat(RunnerLayout.programs().stream().flatMap(program -> program.sources().stream()))
        .containsAll(needed);
    assertThat(needed).hasSizeGreaterThan(3);
  }

  @Test
  void theProgramForQueriesHasNothingOfTheOneForScripts() {
    assertThat(RunnerLayout.programs().getFirst().sources())
        .noneMatch(source -> source.toString().contains("caoccao"));
  }

  @Test
  void theLibrariesOfScriptsAreOnTheClassPath() {
    Assumptions.assumeThat(System.getProperty("os.arch")).isEqualTo("amd64");
    assertThat(NativeLibrary.ofScripts()).allMatch(NativeLibrary::isThere);
    assertThat(NativeLibrary.ofScripts()).allMatch(library -> NativeLibrary.isName(library.file()));
  }
}
