package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the commands of the documentation verbatim. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class DocumentationTest {
  private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
  private static final Path README = REPOSITORY.resolve("README.md");
  private static final Pattern REGISTRY_VALUE = Pattern.compile("image\\.registry=([^\\s,`]+)");
  private static final Pattern NO_RUN = Pattern.compile("no-run=\"[^\"]{8,}\"");

  /** A line of a transcript that stands for any number of lines. */
  private static final Pattern LEFT_OUT = Pattern.compile("(?m)^…\n");

  private static final List<String> SHELLS = List.of("bash", "sh", "shell", "console");

  @TempDir private Path folder;

  static Stream<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.list(REPOSITORY.resolve("docs"))) {
      List<Path> pages = new ArrayList<>(docs.filter(DocumentationTest::isPage).sorted().toList());
      pages.add(README);
      pages.add(REPOSITORY.resolve("CONTRIBUTING.md"));
      pages.add(REPOSITORY.resolve("images/protocol/README.md"));
      return pages.stream();
    }
  }

  private static boolean isPage(Path path) {
    return path.toString().endsWith(".md");
  }

  @ParameterizedTest
  @MethodSource("pages")
  void eachBlockOfCommandsIsRunOrSaysWhyNot(Path page) {
    assertThat(FencedBlock.of(page))
        .filteredOn(block -> SHELLS.contains(block.language()))
        .allSatisfy(
            block ->
                assertThat(block.mark())
                    .as(block.text())
                    .matches("run|run=serving|" + NO_RUN.pattern()));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void aRegistryInAnExampleIsAHostAsTheChartRequires(Path page) throws IOException {
    assertThat(REGISTRY_VALUE.matcher(Files.readString(page)).results().map(hit -> hit.group(1)))
        .allSatisfy(registry -> assertThat(registry).matches("registry\\.example\\.com(:\\d+)?"));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("pages")
  void theCommandsOfAPageWork(Path page) throws Exception {
    String script = page.equals(README) ? "" : script(page, "run");
    if (!script.isEmpty()) {
      assertThat(bash(script, "").inheritIO().start().waitFor()).isZero();
    }
    String served = script(page, "run=serving");
    if (!served.isEmpty()) {
      try (LocalInstallation local = LocalInstallation.start()) {
        String mcp = local.installation().endpoint().toString();
        String endpoint = mcp.substring(0, mcp.length() - "/mcp".length());
        assertThat(bash(served, endpoint).inheritIO().start().waitFor()).isZero();
      }
    }
  }

  @Tag("slow")
  @Test
  void theFirstCommandOfTheReadmePrintsItsTranscript() throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder command = bash(script(README, "run"), "");
    // The log says how each run and each call of a tool ended.
    command.environment().put("ASSAY_LOG_LEVEL", "INFO");
    Process process = command.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor()).as(Files.readString(err)).isZero();
    assertThat(Files.readString(err)).doesNotContain("WARN", "Exception");
    String transcript =
        FencedBlock.of(README).stream()
            .filter(block -> block.text().contains("-> execute_custom_analytics_code"))
            .map(FencedBlock::text)
            .collect(Collectors.joining());
    assertThat(withoutWhatDiffers(Files.readString(out)))
        .as(Files.readString(err))
        .containsSubsequence(
            LEFT_OUT
                .splitAsStream(transcript)
                .map(DocumentationTest::withoutWhatDiffers)
                .filter(part -> !part.isEmpty())
                .toList());
  }

  /** Replaces times and names that differ between runs. */
  private static String withoutWhatDiffers(String text) {
    return text.replaceAll("\\b[\\d.]+m?s\\b", "TIME")
        .replaceAll("run-[a-z0-9]{15}", "RUN")
        .replaceAll("assay-demo-\\d+", "assay-demo-N")
        .replaceAll(" +", " ")
        .strip();
  }

  private static String script(Path page, String mark) {
    return FencedBlock.of(page).stream()
        .filter(block -> SHELLS.contains(block.language()) && block.mark().equals(mark))
        .map(FencedBlock::text)
        .collect(Collectors.joining("\n"));
  }

  private ProcessBuilder bash(String script, String endpoint) throws IOException {
    Path file = Files.writeString(folder.resolve("script.sh"), script, UTF_8);
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euo", "pipefail", file.toString())
            .directory(REPOSITORY.toFile());
    if (!endpoint.isEmpty()) {
      builder.environment().put("ASSAY_ENDPOINT", endpoint);
    }
    return builder;
  }
}
