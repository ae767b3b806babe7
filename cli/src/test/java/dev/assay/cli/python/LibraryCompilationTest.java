package dev.assay.cli.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class LibraryCompilationTest {
  @TempDir private Path root;
  private Path directory = Path.of("unused");
  private Path site = Path.of("unused");

  @BeforeEach
  void begin() throws IOException {
    directory = Files.createDirectories(root.resolve("runner"));
    site = Files.createDirectories(root.resolve("site packages"));
    source("table/read.py", "ROWS = 1");
    source("table/tests/test_read.py", "ROWS = 2");
    source("template/page.py", "{% page %}");
  }

  @Test
  void allButTestsAndWhatIsNoPythonIsCompiledAndRecorded() throws Exception {
    interpreter("exec '" + SystemPython.find().path() + "' \"$@\"");
    Files.createSymbolicLink(site.resolve("endless.py"), Path.of("/dev/zero"));
    compilation(site).compileAll();

    assertThat(site.resolve("table/__pycache__")).isDirectoryContaining("glob:**/read.*.pyc");
    assertThat(site.resolve("table/tests/__pycache__")).doesNotExist();
    assertThat(site.resolve("template/__pycache__")).doesNotExist();
    assertThat(directory.resolve("compiled")).exists();
  }

  @Test
  void whatIsRecordedIsNotCompiledAgain() throws Exception {
    interpreter("touch '" + root + "/called'");
    compilation(site).compileAll();
    Files.delete(root.resolve("called"));

    compilation(site).compileAll();
    assertThat(root.resolve("called")).doesNotExist();
  }

  @Test
  void whatWasInterruptedIsLeftToTheNextStart() throws Exception {
    interpreter("kill -TERM $$");
    compilation(site).compileAll();
    assertThat(directory.resolve("compiled")).doesNotExist();
  }

  @Test
  void librariesThatCannotBeWrittenToAreLeftAlone() throws Exception {
    interpreter("touch '" + root + "/called'");
    // Like a folder of somebody else; root may write to those.
    LibraryCompilation compilation = compilation(root.resolve("missing"));
    compilation.compileFirst();
    compilation.compileAll();
    assertThat(root.resolve("called")).doesNotExist();
  }

  @Test
  void noStartFailsWhereLibrariesCannotBeImported() throws Exception {
    interpreter("exit 1");
    LibraryCompilation compilation = compilation(site);
    compilation.compileFirst();
    compilation.compileAll();
    assertThat(directory.resolve("compiled")).doesNotExist();
  }

  private LibraryCompilation compilation(Path libraries) {
    return new LibraryCompilation(directory, List.of(libraries));
  }

  private void source(String name, String text) throws IOException {
    Path file = site.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void interpreter(String script) throws IOException {
    Path file = Files.createDirectories(directory.resolve("bin")).resolve("python");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
