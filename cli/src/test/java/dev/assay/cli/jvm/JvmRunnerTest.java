package dev.assay.cli.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.cli.python.Cache;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class JvmRunnerTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"));

  @TempDir Path directory;

  @Test
  void theWorkerIsMadeOnceAndStarts() throws Exception {
    JvmRunner runner = JvmRunner.prepare(new Cache(directory), JAVA);
    Path start = runner.directory().resolve("start");
    assertThat(start).isExecutable();
    assertThat(runner.directory().resolve("native/libduckdb_java.so")).isNotEmptyFile();
    assertThat(runner.files()).contains(runner.directory(), JAVA);
    assertThat(runner.environment())
        .containsEntry("ASSAY_JVM_RUNNER", runner.directory().toString());

    Files.writeString(runner.directory().resolve("mark"), "kept");
    assertThat(JvmRunner.prepare(new Cache(directory), JAVA)).isEqualTo(runner);
    assertThat(runner.directory().resolve("mark")).exists();

    Process process = new ProcessBuilder(start.toString()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    assertThat(new String(process.getInputStream().readAllBytes())).contains("standard input");
    assertThat(process.waitFor()).isEqualTo(1);
  }

  @Test
  void theArchivesOfClassesAreMadeAfterwardsUnlessTheyAreThere() throws Exception {
    JvmRunner runner = JvmRunner.prepare(new Cache(directory), JAVA);
    Path queries = runner.directory().resolve("worker.aot");
    Path scripts = runner.directory().resolve("javascript.aot");
    assertThat(queries).doesNotExist();

    // What a training has left that was killed.
    Files.writeString(runner.directory().resolve("worker.aot.new.1"), "half");
    Files.writeString(runner.directory().resolve("worker.aot.new.1.config"), "half");

    runner.train();
    assertThat(queries).isNotEmptyFile();
    if (JvmRunner.runsScripts()) {
      assertThat(scripts).isNotEmptyFile();
    }
    assertThat(runner.directory().toFile().list()).noneMatch(name -> name.contains(".new"));

    Files.writeString(queries, "kept");
    runner.train();
    assertThat(queries).hasContent("kept");
    assertThat(JvmRunner.prepare(new Cache(directory), JAVA)).isEqualTo(runner);
  }
}
